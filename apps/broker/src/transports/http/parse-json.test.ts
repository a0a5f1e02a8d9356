import { limits } from "@merkle/wire/limits";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parseJson } from "./parse-json.js";

function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1);
}

/** Strings full of characters that would be punctuation outside a string. */
const trickyText = fc.string({
  unit: fc.constantFrom('"', "\\", ",", "[", "{", "]", "}", ":", " ", "a", "\n"),
});
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    trickyText,
    fc.integer(),
    fc.constantFrom(null, true, ""),
    fc.array(tie("value")),
    fc.dictionary(trickyText, tie("value")),
  ),
})).value;

it("[LIMIT-1] counts exactly the values that parsing would make, however they are written", () => {
  fc.assert(
    fc.property(json, fc.constantFrom("", " ", "\t", "\n  \r"), (value, indent) => {
      // `JSON.stringify` puts no white space between the brackets of empty values. This adds some.
      const text = JSON.stringify([value, [], {}], null, indent).replace(
        /\[\],\s*\{\}\s*\]$/,
        `[${indent}],{${indent}}]`,
      );
      const expected: unknown = JSON.parse(text);
      const count = countValues(expected);
      expect(parseJson(text, { valuesMax: count })).toEqual(expected);
      expect(() => parseJson(text, { valuesMax: count - 1 })).toThrow(`more than ${count - 1} values`);
    }),
  );
});

it("[LIMIT-1] jsonValuesMax", () => {
  const list = (values: number) => `[${Array(values - 1).fill(0)}]`;
  const max = limits.jsonValuesMax;
  expect(parseJson(list(max - 1))).toHaveLength(max - 2);
  expect(parseJson(list(max))).toHaveLength(max - 1);
  expect(() => parseJson(list(max + 1))).toThrow(expect.objectContaining({ code: "bad_request" }));
});

const big = limits.frameBytesMax;
const hugeTexts: Record<string, string> = {
  names: JSON.stringify(
    Object.fromEntries(Array.from({ length: 110_000 }, (_, index) => [`field_${index}`, 0])),
  ),
  numbers: `[${"1,".repeat(big / 2 - 2)}1]`,
  "lists in lists": "[".repeat(big / 2) + "]".repeat(big / 2),
  "texts without anything between them": '""'.repeat(big / 2),
  "commas alone": ",".repeat(big),
  "opening brackets alone": "{".repeat(big),
};

it.each(Object.entries(hugeTexts))("[LIMIT-1] a frame full of %s is refused unparsed", (_what, text) => {
  expect(() => parseJson(text)).toThrow("The JSON has more than");
});

const oneValue: Record<string, unknown> = {
  "a long text": "x".repeat(big - 2),
  "a text of commas": ",".repeat(big - 2),
  "a text of quotes": '"'.repeat(big / 2 - 2),
  "a text of backslashes": "\\".repeat(big / 2 - 2),
  "a text that ends with a backslash": `"${"[".repeat(big / 2)}\\`,
};

it.each(Object.entries(oneValue))("[LIMIT-1] %s is one value", (_what, value) => {
  expect(parseJson(JSON.stringify(value), { valuesMax: 1 })).toBe(value);
});

it("[ERR-7] text that is no JSON is refused, wherever it breaks off", () => {
  const text = JSON.stringify({ list: [1, 'a"b', { c: null }], text: "\\" });
  for (let length = 0; length < text.length; length += 1) {
    for (const valuesMax of [1, limits.jsonValuesMax]) {
      expect(() => parseJson(text.slice(0, length), { valuesMax })).toThrow(
        expect.objectContaining({ code: "bad_request" }),
      );
    }
  }
});
