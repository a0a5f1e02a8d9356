import { expect, it } from "vitest";
import { scripts, shells } from "./completion.js";

it.each(shells)(
  "[CLI-58] the script for %s asks merkle, hears no errors, and says how it is put to use",
  (shell) => {
    expect(scripts[shell]).toContain(" __complete -- ");
    expect(scripts[shell]).toContain("2>/dev/null");
    expect(scripts[shell]).toContain(`merkle completion ${shell}`);
  },
);
