import postgres from "postgres";
import { servePosts } from "./post-server.js";

/**
 * The relay that a team would write itself: a `ws` server with one INSERT for each post. It delivers a message once the
 * INSERT has committed, so followers may get two messages in the other order than their numbers.
 */
servePosts(async ({ databaseUrl }, deliver) => {
  const sql = postgres(databaseUrl, {
    max: 10,
    fetch_types: false,
    onnotice: () => undefined,
    connection: { synchronous_commit: "on", application_name: "merkle-bench" },
  });
  await sql.unsafe(`
    CREATE SCHEMA IF NOT EXISTS bench_relay;
    CREATE TABLE IF NOT EXISTS bench_relay.messages (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      session_id uuid NOT NULL,
      content text NOT NULL,
      posted_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX IF NOT EXISTS messages_of_session ON bench_relay.messages (session_id, sequence);`);

  return {
    async add({ session_id, content }) {
      const [row] = await sql`
        INSERT INTO bench_relay.messages (session_id, content) VALUES (${session_id}, ${content})
        RETURNING sequence`;
      const sequence = Number(row?.["sequence"]);
      deliver({ session_id, content, sequence });
      return sequence;
    },
    close: () => sql.end(),
  };
});
