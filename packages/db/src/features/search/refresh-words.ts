import { type SQL, sql } from "drizzle-orm";
import { settings } from "../../core/schema.js";
import type { Transaction } from "../../core/transactions.js";
import { selectMessageText } from "./message-text.js";

interface IndexedTable {
  /** Columns of the primary key, and their types. */
  readonly key: Readonly<Record<string, "uuid" | "bigint" | "text">>;
  /** The rows `t`, with the rows that have their text. */
  readonly from: SQL;
  /** The indexed text of a row. */
  readonly text: SQL;
  /** Indexes the text again. Assigning a column to itself makes PostgreSQL generate the words of its row. */
  readonly set: SQL;
  /** Whether a row `t` has no words yet. Default: false. */
  readonly isMissing?: SQL;
}

const setWords = sql`words = to_tsvector('english', words_of(page.text))`;

const tables: Readonly<Record<string, IndexedTable>> = {
  sessions: {
    key: { session_id: "uuid" },
    from: sql`sessions t`,
    text: sql`concat_ws(' ', t.title, t.slug, t.description)`,
    set: sql`title = t.title`,
  },
  memories: {
    key: { mesh_id: "uuid", number: "bigint" },
    from: sql`memories t`,
    text: sql`concat_ws(' ', t.content, array_to_string(t.tags, ' '))`,
    set: sql`content = t.content`,
  },
  state_entries: {
    key: { scope_id: "uuid", key: "text" },
    from: sql`state_entries t`,
    text: sql`concat_ws(' ', t.key, left(t.value, 4000))`,
    set: sql`value = t.value`,
  },
  progress_entries: {
    key: { mesh_id: "uuid", id: "text" },
    from: sql`progress_entries t`,
    text: sql`concat_ws(' ', t.title, t.content, array_to_string(t.tags, ' '))`,
    set: sql`content = t.content`,
  },
  tasks: {
    key: { session_id: "uuid", number: "bigint" },
    from: sql`tasks t`,
    text: sql`concat_ws(' ', t.title, array_to_string(t.labels, ' '), t.text, t.result)`,
    // The trigger sets the words.
    set: sql`title = t.title`,
    isMissing: sql`t.words IS NULL`,
  },
  topic_messages: {
    key: { mesh_id: "uuid", topic: "bigint", sequence: "bigint" },
    from: sql`topic_messages t`,
    text: sql`t.text`,
    set: sql`text = t.text`,
  },
  document_words: {
    key: { session_id: "uuid", piece: "bigint" },
    from: sql`document_words t`,
    text: sql`t.content`,
    set: setWords,
  },
  message_words: {
    key: { session_id: "uuid", sequence: "bigint" },
    // The messages of an archived session are elsewhere. Their words stay as they are.
    from: sql`message_words t LEFT JOIN messages m USING (session_id, sequence)`,
    text: selectMessageText(sql`m.content::json`),
    set: setWords,
  },
};

/** Matches the texts whose words are indexed differently than before. Most texts are not among them. */
const changedText =
  "[\\u00C0-\\u024F\\u0300-\\u03FF\\u0401\\u0451\\u1E00-\\u1FFF\\uAC00-\\uD7A3]|[a-z0-9][A-Z]|[A-Z][A-Z][a-z]";

const settingsKey = "words_refresh";

/** Last key that was read of each table, as text, or true once the whole table was read. */
type Progress = Readonly<Record<string, readonly string[] | true | undefined>>;

/**
 * Indexes the next texts again that an earlier version indexed (SEARCH-12). Returns whether all are done. Rows are
 * locked only until the transaction ends, and nothing else waits for an index.
 *
 * @param rowsMax - how many rows to read. Returns early if another node is at work.
 */
export async function refreshWords(tx: Transaction, rowsMax: number): Promise<boolean> {
  const [row] = await tx.execute<{ value: Progress | null }>(sql`
    SELECT l.value FROM (SELECT 1) one LEFT JOIN LATERAL (
      SELECT value FROM ${settings} WHERE key = ${settingsKey} FOR UPDATE SKIP LOCKED) l ON true
    WHERE EXISTS (SELECT FROM ${settings} WHERE key = ${settingsKey})`);
  if (!row) return true;
  if (row.value === null) return false;
  let progress = row.value;
  let rowsLeft = rowsMax;
  for (const [name, table] of Object.entries(tables)) {
    const after = progress[name];
    if (after === true) continue;
    const page = await refreshPage(tx, name, table, after ?? null, rowsLeft);
    progress = { ...progress, [name]: page.rows < rowsLeft ? true : page.last };
    rowsLeft -= page.rows;
    if (rowsLeft <= 0) break;
  }
  const isDone = Object.keys(tables).every((name) => progress[name] === true);
  await tx.execute(
    isDone
      ? sql`DELETE FROM ${settings} WHERE key = ${settingsKey}`
      : sql`UPDATE ${settings} SET value = ${JSON.stringify(progress)}::text::jsonb WHERE key = ${settingsKey}`,
  );
  return isDone;
}

async function refreshPage(
  tx: Transaction,
  name: string,
  { key, from, text, set, isMissing = sql`false` }: IndexedTable,
  after: readonly string[] | null,
  rowsMax: number,
): Promise<{ rows: number; last: string[] }> {
  const columns = Object.entries(key).map(([column, type]) => ({ column: sql.identifier(column), type }));
  const join = (parts: readonly SQL[], separator = sql`, `) => sql.join([...parts], separator);
  const keyOf = (row: SQL) => columns.map(({ column }) => sql`${row}.${column}`);
  const isAfter =
    after === null
      ? sql`true`
      : sql`(${join(keyOf(sql`t`))}) > (${join(columns.map(({ type }, index) => sql`${after[index]}::${sql.raw(type)}`))})`;
  const [page] = await tx.execute<{ rows: number; last: string[] | null }>(sql`
    WITH page AS MATERIALIZED (
      SELECT ${join(keyOf(sql`t`))}, ${text} AS text, ${isMissing} AS missing, row_number() OVER (ORDER BY ${join(keyOf(sql`t`))}) AS place
      FROM ${from} WHERE ${isAfter} ORDER BY ${join(keyOf(sql`t`))} LIMIT ${rowsMax}
    ), refreshed AS (
      UPDATE ${sql.identifier(name)} t SET ${set} FROM page
      WHERE ${join(
        columns.map(({ column }) => sql`t.${column} = page.${column}`),
        sql` AND `,
      )} AND (page.missing OR page.text ~ ${changedText})
    )
    SELECT count(*)::int AS rows,
           (SELECT json_build_array(${join(columns.map(({ column }) => sql`${column}::text`))}) FROM page ORDER BY place DESC LIMIT 1) AS last
    FROM page`);
  return { rows: page?.rows ?? 0, last: page?.last ?? [] };
}
