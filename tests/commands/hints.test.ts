import { expect, it } from "vitest";
import { hints } from "../../apps/cli/src/command/hints.js";
import { commands } from "../../apps/cli/src/commands.js";

it("[CLI-9] what is said for words of other programs are commands that there are", () => {
  const firstWords = commands.map(({ name }) => name.split(" ")[0]);
  for (const advice of Object.values(hints).flat()) {
    expect(firstWords).toContain(advice.replace(/^merkle /, "").split(" ")[0]);
  }
  for (const words of Object.keys(hints)) expect(firstWords).not.toContain(words);
});
