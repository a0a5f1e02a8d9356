import fc from "fast-check";
import { expect, it } from "vitest";
import { isPlainLine, parseMarkdown } from "./markdown-tree";

it("[DASH-54] a line that is taken as plain is one paragraph of markdown with the same words", () => {
  const pieces = fc.constantFrom(
    ..."aZ9é中אا𝒳 ,;:.?'\"()%=-",
    ..."*_`~<>[]!#&\\/@|+\n\t$^{}",
    ...["www.", "WWW.a", "http:", "mailto:", "1.", "2)", "- ", "\u202e", "\u3164", "\u00a0", "&amp;", "  "],
  );
  const texts = fc.string({ unit: pieces, maxLength: 24 });
  let plain = 0;
  fc.assert(
    fc.property(texts, (text) => {
      if (!isPlainLine(text)) return;
      plain += 1;
      expect(parseMarkdown(text, "feed").children).toMatchObject([
        { type: "element", tagName: "p", children: [{ type: "text", value: text }] },
      ]);
    }),
    { numRuns: 5_000 },
  );
  expect(plain).toBeGreaterThan(50);
  expect(["123: words, and stops.", "a (b) c = d", "nein – doch"].map(isPlainLine)).toEqual([
    true,
    true,
    false,
  ]);
});
