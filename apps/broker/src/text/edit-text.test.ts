import { occurrences } from "@merkle/wire/text";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { editText } from "./edit-text.js";

it("[DOC-6] replaces the one place where the text stands", () => {
  expect(editText("one two three", "two", "2")).toEqual({ content: "one 2 three" });
  expect(editText("one two", "one two", "")).toEqual({ content: "" });
  expect(editText("price: x", "x", "$& $1 $$")).toEqual({ content: "price: $& $1 $$" });
});

it("[DOC-6] says how often it was found otherwise", () => {
  expect(editText("one two", "three", "3")).toEqual({ matches: 0 });
  expect(editText("a b a", "a", "c")).toEqual({ matches: 2 });
  expect(editText("", "a", "c")).toEqual({ matches: 0 });
});

it("[DOC-6] overlapping places are more than one", () => {
  expect(editText("aaa", "aa", "b")).toEqual({ matches: 2 });
  expect(editText("abcabcab", "abcab", "x")).toEqual({ matches: 2 });
});

it("[DOC-6] occurrences are those that indexOf finds", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b") });
  return fc.assert(
    fc.property(text, text, (content, wanted) => {
      fc.pre(wanted !== "");
      const expected: number[] = [];
      for (let at = content.indexOf(wanted); at >= 0; at = content.indexOf(wanted, at + 1)) expected.push(at);
      expect([...occurrences(content, wanted)]).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

it("[DOC-6] a text that repeats itself is searched in time", () => {
  // indexOf needs many seconds for this, which the test's time limit would not forgive.
  const half = "a".repeat(128 * 1024);
  expect(editText("a".repeat(512 * 1024), `${half}b${half}`, "")).toEqual({ matches: 0 });
  expect(editText("a".repeat(512 * 1024), half, "")).toEqual({ matches: 384 * 1024 + 1 });
});
