import { type Queryable, type SearchTerm, type SearchTerms, type TextMatch, toTextQuery } from "@merkle/db";

/**
 * Parses a search query as people type it: words, "exact phrases", -word for exclusion, word* for a prefix,
 * and `or` between alternatives. Other operators, symbols and unclosed quotes only separate words (MEM-5).
 */
export function parseTerms(query: string): SearchTerms {
  const alternatives: SearchTerm[][] = [[]];
  for (const [whole, minus, quoted, word] of query.replaceAll(/[“”„]/g, '"').matchAll(term)) {
    if (whole.toLowerCase() === "or") {
      alternatives.push([]);
      continue;
    }
    const isPrefix = word !== undefined && /[^*]\*$/.test(word);
    const text = quoted ?? (isPrefix ? word.slice(0, -1) : (word ?? ""));
    addOnce(alternatives.at(-1) ?? [], { text, isExcluded: minus === "-", isPrefix });
  }
  return alternatives.filter((terms) => terms.length > 0);
}

// `--force` is a search term, not an exclusion.
const term = /(-(?![-\s]|$))?(?:"([^"]*)"?|([^\s"]+))/g;

/**
 * Adds a term unless it is already in the list. A word repeated a hundred times would cost the database
 * seconds without changing the result.
 */
function addOnce(terms: SearchTerm[], term: SearchTerm): void {
  // The database ignores the case of ASCII letters itself, and needs it to find the words of an identifier.
  const text = term.text.replace(/\P{ASCII}+/gu, (letters) => letters.toLowerCase());
  const lowerCase = text.toLowerCase();
  const isSame = (other: SearchTerm) =>
    other.text.toLowerCase() === lowerCase &&
    other.isExcluded === term.isExcluded &&
    other.isPrefix === term.isPrefix;
  if (!terms.some(isSame)) terms.push({ ...term, text });
}

/** Chooses how to search for a query: by its words, or as literal text if it contains no words (MEM-6). */
export async function toTextMatch(db: Queryable, query: string): Promise<TextMatch> {
  const words = await toTextQuery(db, parseTerms(query));
  return words === null ? { by: "letters", letters: query } : { by: "words", query: words };
}
