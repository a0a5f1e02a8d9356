import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { type Latency, toLatency } from "../statistics.js";
import { messageText } from "../text.js";

/**
 * The minimum cost of a durable, numbered append: lock the feed's row, number the message, and insert it under the
 * primary key. Credentials, retries, closing and recipients are left out on purpose. If this limit followed the
 * product's rules, it would change whenever a rule changes.
 */
const schema = `
  CREATE SCHEMA IF NOT EXISTS bench_reference;
  CREATE TABLE IF NOT EXISTS bare_feeds (
    session_id uuid PRIMARY KEY,
    last_sequence bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 50);
  CREATE TABLE IF NOT EXISTS bare_messages (
    session_id uuid NOT NULL,
    sequence bigint NOT NULL,
    id uuid NOT NULL,
    content text NOT NULL,
    posted_at timestamptz(3) NOT NULL,
    PRIMARY KEY (session_id, sequence)
  );
  CREATE OR REPLACE FUNCTION bare_append(session_ids uuid[], ids uuid[], contents text[])
  RETURNS TABLE (ordinal bigint, sequence bigint, posted_at timestamptz)
  LANGUAGE plpgsql VOLATILE
  SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
  AS $$
  #variable_conflict use_column
  DECLARE
    instant timestamptz := date_trunc('milliseconds', clock_timestamp());
  BEGIN
    PERFORM 1 FROM bare_feeds f WHERE f.session_id = ANY (session_ids) ORDER BY f.session_id FOR NO KEY UPDATE;
    RETURN QUERY
    WITH given AS MATERIALIZED (
      SELECT t.*, row_number() OVER (PARTITION BY t.session_id ORDER BY t.ordinal) AS place
      FROM unnest(session_ids, ids, contents) WITH ORDINALITY AS t (session_id, id, content, ordinal)
    ), bumped AS (
      UPDATE bare_feeds f SET last_sequence = f.last_sequence + g.many
      FROM (SELECT session_id, count(*) AS many FROM given GROUP BY session_id) g
      WHERE f.session_id = g.session_id
      RETURNING f.session_id, f.last_sequence - g.many AS before
    ), inserted AS (
      INSERT INTO bare_messages (session_id, sequence, id, content, posted_at)
      SELECT g.session_id, b.before + g.place, g.id, g.content, instant
      FROM given g JOIN bumped b ON b.session_id = g.session_id
      ORDER BY g.ordinal
    )
    SELECT g.ordinal, b.before + g.place, instant
    FROM given g JOIN bumped b ON b.session_id = g.session_id
    ORDER BY g.ordinal;
  END $$;`;

export interface BareRow {
  readonly sessionId: string;
  readonly id: string;
  readonly content: string;
}

export interface BareAppend {
  openFeeds(count: number): Promise<string[]>;
  append(
    rows: readonly BareRow[],
  ): Promise<readonly { readonly sequence: string; readonly posted_at: Date }[]>;
  /** Appends batches of `rows` rows one after another, over one connection. */
  batches(options: BatchOptions): Promise<BatchAnswer>;
  serverVersion(): Promise<string>;
  close(): Promise<void>;
}

export interface BatchOptions {
  readonly rows: number;
  readonly feeds: number;
  readonly measureMs: number;
  readonly pauseMs?: number;
}

export interface BatchAnswer extends Latency {
  readonly perSecond: number;
}

/** Opens a bare append on a separate connection, which commits to disk like the broker's connections. */
export async function openBareAppend(databaseUrl: string): Promise<BareAppend> {
  const sql = postgres(databaseUrl, {
    max: 1,
    fetch_types: false,
    onnotice: () => undefined,
    connection: {
      synchronous_commit: "on",
      application_name: "merkle-bench",
      search_path: "bench_reference",
    },
  });
  await sql.unsafe(schema);

  async function openFeeds(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => randomUUID());
    await sql`INSERT INTO bare_feeds (session_id) SELECT unnest(${`{${ids.join()}}`}::uuid[])`;
    return ids;
  }

  const append: BareAppend["append"] = (rows) => sql`
    SELECT sequence, posted_at FROM bare_append(
      ${`{${rows.map((row) => row.sessionId).join()}}`}, ${`{${rows.map((row) => row.id).join()}}`},
      ${`{${rows.map((row) => quoted(row.content)).join()}}`})`;

  return {
    openFeeds,
    append,
    async batches({ rows, feeds, measureMs, pauseMs }) {
      const sessions = await openFeeds(feeds);
      const times: number[] = [];
      const until = performance.now() + measureMs;
      while (performance.now() < until) {
        if (pauseMs !== undefined) await delay(pauseMs);
        // The batch is created outside the measured time, because only the statement is the limit.
        const batch = makeRows(sessions, rows);
        const sentAt = performance.now();
        await append(batch);
        times.push(performance.now() - sentAt);
      }
      const total = times.reduce((sum, time) => sum + time, 0);
      return { perSecond: (times.length * rows * 1000) / total, ...toLatency(times) };
    },
    async serverVersion() {
      const [row] = await sql`SELECT current_setting('server_version') AS version`;
      return String(row?.["version"]);
    },
    close: () => sql.end(),
  };
}

export function makeRows(sessions: readonly string[], count: number): BareRow[] {
  const content = JSON.stringify({ text: messageText });
  return Array.from({ length: count }, (_, index) => ({
    sessionId: sessions[index % sessions.length] ?? "",
    id: randomUUID(),
    content,
  }));
}

/** Formats an element of a PostgreSQL array literal. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
