import { expect, it } from "vitest";
import { parseTerms } from "./parse-terms.js";

/**
 * Formats parsed search terms as `-word`, `"two words"` and `word*`, with one list per alternative.
 */
function formatTerms(query: string): string[][] {
  return parseTerms(query).map((terms) =>
    terms.map(
      ({ text, isExcluded: excluded, isPrefix: begins }) =>
        `${excluded ? "-" : ""}${text}${begins ? "*" : ""}`,
    ),
  );
}

it("[MEM-5] reads words, phrases, exclusions and alternatives", () => {
  expect(formatTerms('Deploy "the flag" -old -"two words" x-ray')).toEqual([
    ["Deploy", "the flag", "-old", "-two words", "x-ray"],
  ]);
  expect(formatTerms("a or b OR “c d”")).toEqual([["a"], ["b"], ["c d"]]);
  expect(formatTerms("or a or or")).toEqual([["a"]]);
  expect(formatTerms('"or" -or')).toEqual([["or", "-or"]]);
  expect(formatTerms("--force -")).toEqual([["--force", "-"]]);
  expect(formatTerms('auth* -tok* auth "two* words*" * **')).toEqual([
    ["auth*", "-tok*", "auth", "two* words*", "*", "**"],
  ]);
});

it("[MEM-5] takes a quotation mark without an end as one, and each word once", () => {
  expect(formatTerms('a "b c')).toEqual([["a", "b c"]]);
  expect(formatTerms('a"b"c')).toEqual([["a", "b", "c"]]);
  expect(formatTerms('"')).toEqual([[""]]);
  expect(formatTerms("ab AB -ab ab")).toEqual([["ab", "-ab"]]);
  expect(formatTerms("  ")).toEqual([]);
});
