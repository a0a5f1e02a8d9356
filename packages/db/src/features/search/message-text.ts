import { type SQL, sql } from "drizzle-orm";

/** The indexed text of a message with this content (JSON): its text and the names of its files. */
export function selectMessageText(content: SQL): SQL {
  const files = sql`${content} -> 'attachments'`;
  return sql`concat_ws(E'\n', ${content} ->> 'text', CASE json_typeof(${files}) WHEN 'array' THEN (
    SELECT string_agg(file ->> 'name', E'\n') FROM json_array_elements(${files}) file) END)`;
}
