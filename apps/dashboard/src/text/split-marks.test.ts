import { expect, it } from "vitest";
import { splitMarks } from "./split-marks";

it("[DASH-148] parts a text at its marks, and leaves what is no pair as it stands", () => {
  expect(splitMarks("the «rate» «limit» is per key")).toEqual([
    { text: "the ", isMatch: false },
    { text: "rate", isMatch: true },
    { text: " ", isMatch: false },
    { text: "limit", isMatch: true },
    { text: " is per key", isMatch: false },
  ]);
  expect(splitMarks("nothing")).toEqual([{ text: "nothing", isMatch: false }]);
  expect(splitMarks("«all»")).toEqual([{ text: "all", isMatch: true }]);
  expect(splitMarks("open « alone")).toEqual([{ text: "open « alone", isMatch: false }]);
  expect(splitMarks("")).toEqual([]);
});
