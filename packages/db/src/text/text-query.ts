import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../core/transactions.js";

/** Words to look for, which stand together in this order; or, excluded, must not. */
export interface SearchTerm {
  readonly text: string;
  readonly excluded: boolean;
  /** Whether its last word is only how words begin. */
  readonly begins: boolean;
}

/** A query that fits when all terms of one of its alternatives do. */
export type SearchTerms = readonly (readonly SearchTerm[])[];

/** How texts are matched: by their words, or where none are named, by the letters as they were typed. */
export type TextMatch =
  | { readonly by: "words"; readonly query: string }
  | { readonly by: "letters"; readonly letters: string };

/**
 * Turns terms into a tsquery in text form, or returns null when they name no word that an index could be asked for: only
 * stop words, signs, or words that must not be there.
 */
export async function toTextQuery(db: Queryable, alternatives: SearchTerms): Promise<string | null> {
  if (alternatives.length === 0) return null;
  const query = sql.join(alternatives.map(allOf), sql` || `);
  const [row] = await db.execute<{ query: string; tree: string }>(
    sql`SELECT query::text AS query, querytree(query) AS tree FROM (SELECT ${query} AS query) q`,
  );
  return row && row.tree !== "" && row.tree !== "T" ? row.query : null;
}

function allOf(terms: readonly SearchTerm[]): SQL {
  return sql`(${sql.join(terms.map(toPhrase), sql` && `)})`;
}

function toPhrase({ text, excluded, begins }: SearchTerm): SQL {
  const phrase = begins ? beginningOf(text) : sql`phraseto_tsquery('english', words_of(${text}))`;
  return excluded ? sql`!!${phrase}` : phrase;
}

/** A stop word is the beginning of others. */
function beginningOf(text: string): SQL {
  return sql`(SELECT CASE WHEN numnode(p) = 0 THEN p ELSE (p::text || ':*')::tsquery END FROM (
    SELECT CASE WHEN numnode(e) = 0 THEN phraseto_tsquery('simple', words_of(${text})) ELSE e END AS p
    FROM phraseto_tsquery('english', words_of(${text})) e) q)`;
}

/** Whether a text fits; `words` are its words. */
export function fits(match: TextMatch, { words, text }: { words: SQL; text: SQL }): SQL {
  return match.by === "words"
    ? sql`${words} @@ ${match.query}::tsquery`
    : sql`${text} ILIKE ${`%${match.letters.replace(/[\\%_]/g, "\\$&")}%`}`;
}

/** How well it fits: by how often and how near to each other its words occur; what is found by letters is all alike. */
export function rankOf(match: TextMatch, words: SQL): SQL<number> {
  return match.by === "words"
    ? sql<number>`ts_rank(${words}, ${match.query}::tsquery, 1)`
    : sql<number>`0::real`;
}

/** A good part of the text with what was found as «mark»; such marks of its own become ‹ and ›. */
export function markedIn(match: TextMatch, text: SQL): SQL<string> {
  return match.by === "words"
    ? sql<string>`words_marked(${text}, ${match.query}::tsquery, ${beginningsIn(match.query)})`
    : sql<string>`regexp_replace(${withoutMarks(text)}, '***=' || ${withoutMarks(sql`${match.letters}`)}, '«\\&»', 'gi')`;
}

function withoutMarks(text: SQL): SQL {
  return sql`translate(${text}, '«»', '‹›')`;
}

/** A pattern for how the words of a query begin in a text: a stem is mostly that, but for its last letter. */
function beginningsIn(query: string): string {
  const stems = [...query.matchAll(/'([^']+)'/g)].map(([, stem = ""]) => [...stem]);
  return stems.map((stem) => stem.slice(0, Math.max(3, stem.length - 1)).join("")).join("|");
}

/**
 * A regular expression for a text, whatever its case: each letter is spelled out in both, since what a server knows of case
 * depends on its locale, and in the locale C ends with ASCII.
 */
export function inAnyCase(text: string): string {
  return [...text].map(toPattern).join("");
}

function toPattern(sign: string): string {
  if (/[^\p{L}\p{N}\s]/u.test(sign)) return /[!-~]/.test(sign) ? `\\${sign}` : sign;
  const cases = [...new Set([sign, sign.toLowerCase(), sign.toUpperCase()])].filter(
    (each) => [...each].length === 1,
  );
  return cases.length === 1 ? sign : `[${cases.join("")}]`;
}
