import { type Queryable, type SearchTerm, type SearchTerms, type TextMatch, toTextQuery } from "@merkle/db";

/**
 * Reads a query as people type it: words, "several words together", -word for what must not be there, word* for all that
 * begin so, and `or` between alternatives. Whatever else it holds (quotes without an end, operators, signs) only stands between words (MEM-5).
 */
export function parseTerms(query: string): SearchTerms {
  const alternatives: SearchTerm[][] = [[]];
  for (const [whole, minus, quoted, word] of query.replaceAll(/[“”„]/g, '"').matchAll(term)) {
    if (whole.toLowerCase() === "or") {
      alternatives.push([]);
      continue;
    }
    const begins = word !== undefined && /[^*]\*$/.test(word);
    const text = quoted ?? (begins ? word.slice(0, -1) : (word ?? ""));
    addOnce(alternatives.at(-1) ?? [], { text, excluded: minus === "-", begins });
  }
  return alternatives.filter((terms) => terms.length > 0);
}

// `--force` is looked for, not left out.
const term = /(-(?![-\s]|$))?(?:"([^"]*)"?|([^\s"]+))/g;

/** The same word a hundred times costs the database seconds and finds nothing else. */
function addOnce(terms: SearchTerm[], term: SearchTerm): void {
  const text = term.text.toLowerCase();
  const isSame = (other: SearchTerm) =>
    other.text === text && other.excluded === term.excluded && other.begins === term.begins;
  if (!terms.some(isSame)) terms.push({ ...term, text });
}

/** Decides how to look for a query: by its words, or as it was typed when it names none (MEM-6). */
export async function toTextMatch(db: Queryable, query: string): Promise<TextMatch> {
  const words = await toTextQuery(db, parseTerms(query));
  return words === null ? { by: "letters", letters: query } : { by: "words", query: words };
}
