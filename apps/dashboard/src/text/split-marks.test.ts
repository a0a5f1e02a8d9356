import { expect, it } from "vitest";
import { splitMarks } from "./split-marks";

it("[DASH-148] parts a text at its marks, and leaves what is no pair as it stands", () => {
  expect(splitMarks("the «rate» «limit» is per key")).toEqual([
    { text: "the ", found: false },
    { text: "rate", found: true },
    { text: " ", found: false },
    { text: "limit", found: true },
    { text: " is per key", found: false },
  ]);
  expect(splitMarks("nothing")).toEqual([{ text: "nothing", found: false }]);
  expect(splitMarks("«all»")).toEqual([{ text: "all", found: true }]);
  expect(splitMarks("open « alone")).toEqual([{ text: "open « alone", found: false }]);
  expect(splitMarks("")).toEqual([]);
});
