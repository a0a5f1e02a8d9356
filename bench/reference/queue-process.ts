import postgres from "postgres";
import { servePosts } from "./post-server.js";

/**
 * A queue in PostgreSQL: an INSERT with `pg_notify` for each post. A listener reads what was added and delivers it, as
 * every server of such a queue would. PostgreSQL commits transactions that notify one after the other.
 */
servePosts(async ({ databaseUrl }, deliver) => {
  const sql = postgres(databaseUrl, {
    max: 10,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { synchronous_commit: "on", application_name: "merkle-bench" },
  });
  await sql.unsafe(`
    CREATE SCHEMA IF NOT EXISTS bench_queue;
    CREATE TABLE IF NOT EXISTS bench_queue.messages (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      session_id uuid NOT NULL,
      content text NOT NULL,
      posted_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX IF NOT EXISTS messages_of_session ON bench_queue.messages (session_id, sequence);`);

  let added: string[] = [];
  let isReading = false;

  /** Delivers what was added. Numbers that arrive during one SELECT share the next. */
  async function read(): Promise<void> {
    isReading = true;
    while (added.length > 0) {
      const numbers = added;
      added = [];
      const rows = await sql`
        SELECT sequence, session_id, content FROM bench_queue.messages
        WHERE sequence = ANY (${`{${numbers.join()}}`}::bigint[]) ORDER BY sequence`;
      for (const { sequence, session_id, content } of rows)
        deliver({ session_id, content, sequence: Number(sequence) });
    }
    isReading = false;
  }

  await sql.listen("bench_queue", (sequence) => {
    added.push(sequence);
    if (!isReading) void read();
  });

  return {
    async add({ session_id, content }) {
      const [row] = await sql`
        WITH added AS (
          INSERT INTO bench_queue.messages (session_id, content) VALUES (${session_id}, ${content})
          RETURNING sequence
        )
        SELECT sequence, pg_notify('bench_queue', sequence::text) FROM added`;
      return Number(row?.["sequence"]);
    },
    close: () => sql.end(),
  };
});
