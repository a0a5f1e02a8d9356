import { compactError, MerkleError } from "@merkle/wire";
import { findOccurrences, locateQuote } from "@merkle/wire/document";
import { catalogue } from "@merkle/wire/schemas";
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
      expect([...findOccurrences(content, wanted)]).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

it("[DOC-6] a text that repeats itself is searched in time", () => {
  // Searching this text with indexOf takes many seconds, which would exceed the test's timeout.
  const half = "a".repeat(128 * 1024);
  expect(editText("a".repeat(512 * 1024), `${half}b${half}`, "")).toEqual({ matches: 0 });
  expect(editText("a".repeat(512 * 1024), half, "")).toEqual({ matches: 384 * 1024 + 1 });
});

it("[DOC-12] line ends are compared as one, and what is written has those of the document", () => {
  expect(editText("a\r\nb\r\nc", "b\nc", "x\ny")).toEqual({ content: "a\r\nx\r\ny" });
  expect(editText("a\rb", "a\nb", "x\r\ny")).toEqual({ content: "x\ry" });
  expect(editText("a\nb", "a\r\nb", "x\r\ny")).toEqual({ content: "x\ny" });
  expect(editText("a\r\nb\na\nb", "a\nb", "x")).toEqual({ matches: 2 });
  expect(editText("one", "one", "1\r\n2")).toEqual({ content: "1\r\n2" });
});

it("[DOC-12] [TEXT-4] any two lines that a reading or a 409 shows can be quoted back, and are refused only where they stand twice", () => {
  const line = fc.oneof(
    fc.constantFrom("", "  ", "- a", "- b", "## Notes"),
    fc.string({ unit: fc.constantFrom("a", "b", "#", "-", " "), maxLength: 4 }),
  );
  const written = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), {
    minLength: 2,
    maxLength: 12,
  });
  return fc.assert(
    fc.property(written, fc.nat(), (parts, at) => {
      const content = parts.flat().join("");
      const reading = catalogue.read_session_doc.compact(
        { version: 3, current_version: 3, updated_at: "", content },
        { credentialHolder: "caller" },
      );
      const details = { expected_version: 2, current_version: 3, diff: "- x\n+ y", content };
      const refusal = compactError(new MerkleError("conflict", "The document has moved on.", details));
      for (const shown of [reading, refusal]) {
        const lines = shown.slice(shown.indexOf("to the end:\n") + "to the end:\n".length).split("\n");
        const first = at % (lines.length - 1);
        const quote = lines.slice(first, first + 2).join("\n");
        const plain = content.replace(/\r\n?/g, "\n");
        const matches = [...findOccurrences(plain, quote)].length;
        const edited = editText(content, quote, "new");
        const place = locateQuote(content, { quote });
        if (matches !== 1) {
          expect([edited, place]).toEqual([{ matches }, { matches }]);
          continue;
        }
        if (!("content" in edited) || !("start" in place))
          throw new Error(`Not found: ${JSON.stringify(quote)}`);
        expect(edited.content.replace(/\r\n?/g, "\n")).toBe(plain.replace(quote, () => "new"));
        expect(edited.content).toBe(`${content.slice(0, place.start)}new${content.slice(place.end)}`);
        expect(content.slice(place.start, place.end).replace(/\r\n?/g, "\n")).toBe(quote);
      }
    }),
    { numRuns: 500 },
  );
});
