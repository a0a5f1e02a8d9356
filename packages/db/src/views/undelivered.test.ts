import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { expect, it, onTestFinished } from "vitest";
import { connectTestDatabase, createTestDatabase } from "../../../../tests/kit/test-database.js";
import { type Database, openDatabase } from "../start/open-database.js";
import { listUndeliveredFacts, listUndeliveredMessages } from "./undelivered.js";

async function open(): Promise<{ database: Database; sql: postgres.Sql }> {
  const target = await createTestDatabase();
  const database = await openDatabase({ target });
  onTestFinished(database.close);
  return { database, sql: connectTestDatabase(target) };
}

/** Creates a session of four agents, of whom one has left, and a person. Returns its id. */
async function createSession(sql: postgres.Sql, meshId: string): Promise<string> {
  const id = randomUUID();
  await sql`INSERT INTO sessions (session_id, mesh_id, slug, title, description, created_by_team_id, settings, created_at, updated_at)
    VALUES (${id}, ${meshId}, ${id}, 'Work', '', ${id}, '{}', now(), now())`;
  await sql`INSERT INTO feeds (session_id) VALUES (${id})`;
  await sql`INSERT INTO persons (mesh_id, person_id, name, secret_hash, created_at) VALUES (${meshId}, ${id}, 'Ana', sha256('Ana'), now())`;
  await sql`INSERT INTO teams (session_id, team_id, name, kind, person_id, secret_hash, joined_at, colour)
    SELECT ${id}::uuid, gen_random_uuid(), 'Team ' || n, CASE n WHEN 5 THEN 'human' ELSE 'agent' END, CASE n WHEN 5 THEN ${id}::uuid END,
           CASE WHEN n < 5 THEN sha256(uuid_send(gen_random_uuid())) END, now(), n FROM generate_series(1, 5) n`;
  // Each team joins a while after the one before. The fourth leaves.
  await sql`INSERT INTO peers (session_id, peer_id, team_id, name, secret_hash, joined_at, left_at, last_polled_at)
    SELECT session_id, gen_random_uuid(), team_id, CASE WHEN colour < 5 THEN name END, CASE WHEN colour < 5 THEN sha256('peer') END,
           now() - interval '1 day' + colour * interval '5 minutes', CASE colour WHEN 4 THEN now() - interval '22 hours' END, CASE WHEN colour < 3 THEN now() END
    FROM teams WHERE session_id = ${id}`;
  return id;
}

/** Posts chat messages, one a minute. Every third is for some peers, chosen by their numbers. */
async function post(sql: postgres.Sql, id: string, count: number): Promise<void> {
  await sql`
    WITH p AS (SELECT p.peer_id, t.team_id, t.name, t.colour FROM peers p JOIN teams t USING (session_id, team_id) WHERE session_id = ${id})
    INSERT INTO messages (session_id, sequence, id, type, posted_by_team_id, posted_by_peer_id, author_team, reaches, content, salt, posted_at)
    SELECT ${id}, n, gen_random_uuid(), 'chat', p.team_id, p.peer_id, p.name,
           CASE WHEN n % 3 = 0 THEN (SELECT array_agg(o.peer_id) FROM p o WHERE o.colour <> p.colour AND n / 3 % (o.colour + 1) = 0) END,
           '{"text":"hello"}', uuid_send(gen_random_uuid()), now() - interval '1 day' + n * interval '1 minute'
    FROM generate_series(1, ${count}::int) n JOIN p ON p.colour = n % 4 + 1`;
  await sql`UPDATE feeds SET last_sequence = ${count}, last_chat_sequence = ${count}, last_posted_at = now() WHERE session_id = ${id}`;
}

/** Applies DELIVER-9 to each message of a session, without the shortcuts of the query. */
const listByDefinition = (sql: postgres.Sql, id: string) => sql<{ sequence: number }[]>`
  SELECT m.sequence::float8 AS sequence FROM messages m WHERE m.session_id = ${id} AND (
    SELECT bool_or(greatest(p.acked, coalesce(r.last_read, 0)) >= m.sequence)
    FROM peers p JOIN teams t USING (session_id, team_id) LEFT JOIN person_reads r ON r.person_id = t.person_id AND r.session_id = p.session_id
    WHERE p.session_id = m.session_id AND p.peer_id <> m.posted_by_peer_id AND p.joined_at <= m.posted_at
      AND CASE WHEN m.reaches IS NULL THEN coalesce(p.left_at > m.posted_at, true) ELSE p.peer_id = ANY (m.reaches) END) IS FALSE
  ORDER BY m.sequence`;

it("[ATT-12] finds exactly the messages that none of their recipients has received, however far each has read", async () => {
  const { database, sql } = await open();
  const { orm, meshId } = database;
  const count = 120;
  const id = await createSession(sql, meshId);
  await post(sql, id, count);
  const scope = { meshId, includesFiles: false, limit: 1_000 };
  // Fixed numbers, so that a failure can be repeated. They include everything and nothing.
  for (const round of Array.from({ length: 40 }, (_, index) => index)) {
    await sql`UPDATE peers SET offered = 2000, acked = CASE WHEN ${round}::int % 8 = 0 THEN 0 ELSE abs(hashint4(${round}::int * 7 + t.colour)) % ${count + 1}::int END
      FROM teams t WHERE t.session_id = peers.session_id AND t.team_id = peers.team_id`;
    await sql`INSERT INTO person_reads (mesh_id, person_id, session_id, last_read) VALUES (${meshId}, ${id}, ${id}, ${(round * 37) % count})
      ON CONFLICT (mesh_id, person_id, session_id) DO UPDATE SET last_read = excluded.last_read`;
    const expected = (await listByDefinition(sql, id)).map(({ sequence }) => sequence);
    const { messages, total } = await listUndeliveredMessages(orm, scope, {
      before: new Date(),
      charsMax: 10,
    });
    expect({ round, sequences: messages.map(({ sequence }) => sequence) }).toEqual({
      round,
      sequences: expected,
    });
    expect(total).toBe(expected.length);
  }
});

it("[ATT-18] what it reads does not grow with the messages that were received", async () => {
  const { database, sql } = await open();
  const { meshId } = database;
  const id = await createSession(sql, meshId);
  await post(sql, id, 2_000);
  // All have read everything but the last messages. The one who left, and the person, have read nothing.
  await sql`UPDATE peers SET offered = 1990, acked = 1990 WHERE last_polled_at IS NOT NULL`;
  await sql`ANALYZE`;
  const countRead = async () => {
    const [row] = await sql`
      SELECT (seq_tup_read + idx_tup_fetch)::float8 AS read FROM pg_stat_user_tables WHERE relname = 'messages'`;
    return Number(row?.["read"]);
  };
  const before = await countRead();
  const facts = await database.transaction(async (tx) => {
    // The server reports what this transaction read before it confirms the commit.
    await tx.execute("SELECT pg_stat_force_next_flush()");
    return listUndeliveredFacts(tx, { meshId, includesFiles: false, limit: 1_000 }, new Date());
  });
  expect(facts).toMatchObject([{ sessionId: id }]);
  expect((await countRead()) - before).toBeLessThan(1_000);
});
