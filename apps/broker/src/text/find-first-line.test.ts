import { expect, it } from "vitest";
import { findFirstLine } from "./find-first-line.js";

it.each([
  ["## Conclusion\n\nWe moved **the store**.\n\nMore.", "We moved the store."],
  ["Conclusion\n---\n\n- [x] *Done*: see [the plan](http://a.example/b)", "Done: see the plan"],
  ["Title\n=====\n> `snake_case` and __init__ stay", "snake_case and init stay"],
  ["## Conclusion\n\n\n", null],
  ["", null],
  [`## C\n${"é".repeat(300)}`, `${"é".repeat(199)}…`],
])("[SES-19] the first line of text of %j is %j", (markdown, line) => {
  expect(findFirstLine(markdown)).toBe(line);
});
