import { expect, it } from "vitest";
import { argumentOf, hasProc, isPosix, programFile, systemAndProcessor } from "./platform.js";

it("[DB-1] what differs between systems is answered for each of them", () => {
  const each = <Answer>(ask: (system: NodeJS.Platform) => Answer) =>
    (["linux", "darwin", "win32"] as const).map(ask);
  expect(each(isPosix)).toEqual([true, true, false]);
  expect(each(hasProc)).toEqual([true, false, false]);
  expect(each((system) => programFile("postgres", system))).toEqual(["postgres", "postgres", "postgres.exe"]);
  expect(each((system) => argumentOf("", system))).toEqual(["", "", '""']);
  expect(systemAndProcessor("linux", "x64", true)).toBe("linux-x64-musl");
  expect(systemAndProcessor("darwin", "arm64")).toBe("darwin-arm64");
});
