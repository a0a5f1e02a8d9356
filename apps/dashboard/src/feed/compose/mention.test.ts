import { expect, it } from "vitest";
import { findMention, insertMention } from "./mention";

it("[DASH-94] a mention is what stands between an @ at the start of a word and the caret", () => {
  expect(findMention("@", 1)).toEqual({ start: 0, end: 1, prefix: "" });
  expect(findMention("ask @ce now", 7)).toEqual({ start: 4, end: 7, prefix: "ce" });
  expect(findMention("mail me@home", 12)).toBeNull();
  expect(findMention("@cedar done", 11)).toBeNull();
  expect(findMention(`@${"a".repeat(51)}`, 52)).toBeNull();
});

it("[DASH-94] a mention is written out with a space behind it, and the rest of the text stays", () => {
  const text = "ask @ce now";
  expect(insertMention(text, { start: 4, end: 7, prefix: "ce" }, "Cedar")).toEqual({
    text: "ask @Cedar now",
    caret: 11,
  });
  expect(insertMention("@b", { start: 0, end: 2, prefix: "b" }, "@backend")).toEqual({
    text: "@backend ",
    caret: 9,
  });
});
