import { type Queryable, type TextMatch, toTextQuery } from "@merkle/db";
import { parseTerms } from "./parse-terms.js";

/** Decides how to look for a query: by its words, or as it was typed when it names none (MEM-6). */
export async function toTextMatch(db: Queryable, query: string): Promise<TextMatch> {
  const words = await toTextQuery(db, parseTerms(query));
  return words === null ? { by: "letters", letters: query } : { by: "words", query: words };
}
