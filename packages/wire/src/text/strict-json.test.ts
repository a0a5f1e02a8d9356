import fc from "fast-check";
import { expect, it } from "vitest";
import { parseStrictJson } from "./strict-json.js";

/** Strings full of characters that are special in JSON. */
const tricky = fc.string({ unit: fc.constantFrom('"', "\\", ",", "[", "{", "]", "}", ":", " ", "a", "\n") });
const name = fc.oneof(tricky, fc.constantFrom("__proto__", "constructor", "0", "1", ""));
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    tricky,
    fc.integer(),
    fc.constantFrom(null, true),
    fc.array(tie("value")),
    fc.dictionary(name, tie("value")),
  ),
})).value;

it("[REST-5] JSON in which every object names its members once is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(json, fc.constantFrom("", " ", "\t", "\n"), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

it("[REST-5] a member that stands twice is found wherever it stands and however it is written", () => {
  const escaped = (text: string) =>
    `"${[...text].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`;
  const within = fc.array(
    fc.constantFrom("[%]", '{"in":%}', '[{"a":1},%,{"a":1}]', '{"x":{"a":1}, "y" : %}'),
  );
  fc.assert(
    fc.property(name, json, json, within, fc.boolean(), (repeated, first, second, around, isEscaped) => {
      const again = isEscaped ? escaped(repeated) : JSON.stringify(repeated);
      const object = `{${JSON.stringify(repeated)}:${JSON.stringify(first)},"other":0 , ${again} : ${JSON.stringify(second)}}`;
      // `replace` uses a function's result literally, whereas a "$" in a replacement string would have a
      // special meaning.
      const text = around.reduce((inner, outer) => outer.replace("%", () => inner), object);
      expect(() => parseStrictJson(text)).toThrow(`the field ${JSON.stringify(repeated)} occurs twice`);
    }),
  );
});

it("[ERR-7] a hundred thousand lists within one another are read", () => {
  expect(parseStrictJson("[".repeat(100_000) + "]".repeat(100_000))).toHaveLength(1);
});
