import { expect, it } from "vitest";
import { splitList } from "./flags.js";

it("[CLI-42] several are named by repeating a flag or by commas, and a comma of a name is written \\,", () => {
  expect(splitList(["Cedar, @backend", " Alex's Team/atlas ", ","])).toEqual([
    "Cedar",
    "@backend",
    "Alex's Team/atlas",
  ]);
  expect(splitList(["Smith\\, Jones,Cedar"])).toEqual(["Smith, Jones", "Cedar"]);
});
