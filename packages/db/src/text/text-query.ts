import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../core/transactions.js";

/** Words that must occur together in this order. If the term is excluded, they must not occur. */
export interface SearchTerm {
  readonly text: string;
  readonly isExcluded: boolean;
  /** True if the last word may be only the beginning of a word in the text. */
  readonly isPrefix: boolean;
}

/**
 * A list of alternatives, at least one of which must match. An alternative matches if all of its terms match.
 */
export type SearchTerms = readonly (readonly SearchTerm[])[];

/** How to match text: by words or, if the query contains no words, as a substring. An empty query matches everything. */
export type TextMatch =
  | { readonly by: "words"; readonly query: string }
  | { readonly by: "letters"; readonly letters: string }
  | { readonly by: "nothing" };

/**
 * Converts search terms to the text of a tsquery. Returns null if no term can use the index, that is, if
 * there are only stop words, punctuation or excluded words.
 */
export async function toTextQuery(db: Queryable, alternatives: SearchTerms): Promise<string | null> {
  if (alternatives.length === 0) return null;
  const query = sql.join(alternatives.map(joinTerms), sql` || `);
  const [row] = await db.execute<{ query: string; tree: string }>(
    sql`SELECT query::text AS query, querytree(query) AS tree FROM (SELECT ${query} AS query) q`,
  );
  return row && row.tree !== "" && row.tree !== "T" ? row.query : null;
}

function joinTerms(terms: readonly SearchTerm[]): SQL {
  return sql`(${sql.join(terms.map(toPhrase), sql` && `)})`;
}

function toPhrase({ text, isExcluded, isPrefix }: SearchTerm): SQL {
  const words = sql`words_folded(${text})`;
  const spellings = isIdentifier.test(text) ? [words, sql`cut_identifiers(${words}, ' ')`] : [words];
  const phrase = sql.join(
    spellings.map((each) => (isPrefix ? selectPrefixQuery(each) : sql`phraseto_tsquery('english', ${each})`)),
    sql` || `,
  );
  return isExcluded ? sql`!!(${phrase})` : sql`(${phrase})`;
}

/**
 * Matches text in which `cut_identifiers` finds several words. They are also searched as a phrase, so that UserById
 * finds getUserById and get_user_by_id.
 */
const isIdentifier = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/;

/**
 * Converts words of which the last may be only the beginning of a word. Stop words alone are kept, because a longer
 * word may begin with them.
 */
function selectPrefixQuery(words: SQL): SQL {
  return sql`(SELECT CASE WHEN numnode(p) = 0 THEN p ELSE (p::text || ':*')::tsquery END FROM (
    SELECT CASE WHEN numnode(e) = 0 THEN phraseto_tsquery('simple', ${words}) ELSE e END AS p
    FROM phraseto_tsquery('english', ${words}) e) q)`;
}

/** Returns the condition that `text` matches. `words` is the tsvector of that text. */
export function selectMatch(match: TextMatch, { words, text }: { words: SQL; text: SQL }): SQL {
  if (match.by === "nothing") return sql`true`;
  return match.by === "words"
    ? sql`${words} @@ ${match.query}::tsquery`
    : sql`${text} ILIKE ${`%${match.letters.replace(/[\\%_]/g, "\\$&")}%`}`;
}

/**
 * Returns a rank that is higher the more often and the closer together the words occur. All substring matches
 * have the same rank.
 */
export function selectRank(match: TextMatch, words: SQL): SQL<number> {
  return match.by === "words"
    ? sql<number>`ts_rank(${words}, ${match.query}::tsquery, 1)`
    : sql<number>`0::real`;
}

/**
 * Returns a part of the text with matches marked as «match». Guillemets in the text itself become ‹ and ›.
 */
export function selectMarked(match: TextMatch, text: SQL): SQL<string> {
  if (match.by === "nothing") return withoutMarks(text);
  return match.by === "words"
    ? sql<string>`words_marked(${text}, ${match.query}::tsquery, ${toStemPattern(match.query)})`
    : sql<string>`regexp_replace(${withoutMarks(text)}, '***=' || ${withoutMarks(sql`${match.letters}`)}, '«\\&»', 'gi')`;
}

function withoutMarks(text: SQL): SQL<string> {
  return sql<string>`translate(${text}, '«»', '‹›')`;
}

/**
 * Returns a pattern that finds a query's words in a text by their beginnings. A stem is usually the beginning
 * of the word, except for the stem's last letter.
 */
function toStemPattern(query: string): string {
  const stems = [...query.matchAll(/'([^']+)'/g)].map(([, stem = ""]) => [...stem]);
  return stems.map((stem) => stem.slice(0, Math.max(3, stem.length - 1)).join("")).join("|");
}

/**
 * Returns a regular expression that matches a text in any case. Each letter is listed in both cases, because
 * the server's own case folding depends on its locale and covers only ASCII in locale C.
 */
export function toCaseInsensitivePattern(text: string): string {
  return [...text].map(toPattern).join("");
}

function toPattern(character: string): string {
  if (/[^\p{L}\p{N}\s]/u.test(character)) return /[!-~]/.test(character) ? `\\${character}` : character;
  const cases = [...new Set([character, character.toLowerCase(), character.toUpperCase()])].filter(
    (each) => [...each].length === 1,
  );
  return cases.length === 1 ? character : `[${cases.join("")}]`;
}
