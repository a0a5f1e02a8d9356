import { expect, it } from "vitest";
import { appendText } from "./edit-text.js";

it.each([
  ["", "a", "a"],
  ["a", "b", "a\nb"],
  ["a\n", "b\n", "a\nb\n"],
  ["a\r\n", "b", "a\r\nb"],
  ["a\n\n", "\nb", "a\n\n\nb"],
])("[DOC-5] %j and then %j is %j", (content, text, appended) => {
  expect(appendText(content, text)).toBe(appended);
});
