import { expect, it } from "vitest";
import { parseTerms } from "./parse-terms.js";

/**
 * Formats parsed search terms as `-word`, `"two words"` and `word*`, with one list per alternative.
 */
function written(query: string): string[][] {
  return parseTerms(query).map((terms) =>
    terms.map(({ text, excluded, begins }) => `${excluded ? "-" : ""}${text}${begins ? "*" : ""}`),
  );
}

it("[MEM-5] reads words, phrases, exclusions and alternatives", () => {
  expect(written('Deploy "the flag" -old -"two words" x-ray')).toEqual([
    ["deploy", "the flag", "-old", "-two words", "x-ray"],
  ]);
  expect(written("a or b OR “c d”")).toEqual([["a"], ["b"], ["c d"]]);
  expect(written("or a or or")).toEqual([["a"]]);
  expect(written('"or" -or')).toEqual([["or", "-or"]]);
  expect(written("--force -")).toEqual([["--force", "-"]]);
  expect(written('auth* -tok* auth "two* words*" * **')).toEqual([
    ["auth*", "-tok*", "auth", "two* words*", "*", "**"],
  ]);
});

it("[MEM-5] takes a quotation mark without an end as one, and each word once", () => {
  expect(written('a "b c')).toEqual([["a", "b c"]]);
  expect(written('a"b"c')).toEqual([["a", "b", "c"]]);
  expect(written('"')).toEqual([[""]]);
  expect(written("ab AB -ab ab")).toEqual([["ab", "-ab"]]);
  expect(written("  ")).toEqual([]);
});
