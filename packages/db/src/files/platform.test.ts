import { expect, it } from "vitest";
import { getPlatformKey, hasProc, isPosix, toArgument, toProgramFile } from "./platform.js";

it("[DB-1] what differs between systems is answered for each of them", () => {
  const each = <Answer>(ask: (system: NodeJS.Platform) => Answer) =>
    (["linux", "darwin", "win32"] as const).map(ask);
  expect(each(isPosix)).toEqual([true, true, false]);
  expect(each(hasProc)).toEqual([true, false, false]);
  expect(each((system) => toProgramFile("postgres", system))).toEqual([
    "postgres",
    "postgres",
    "postgres.exe",
  ]);
  expect(each((system) => toArgument("", system))).toEqual(["", "", '""']);
  expect(getPlatformKey("linux", "x64", true)).toBe("linux-x64-musl");
  expect(getPlatformKey("darwin", "arm64")).toBe("darwin-arm64");
});
