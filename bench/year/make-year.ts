import type { connectPool } from "@merkle/db";

export interface Year {
  readonly messages: number;
  readonly sessions: number;
  readonly agents: number;
}

type Sql = ReturnType<typeof connectPool>;

const agentsPerSession = 4;
/** One session in twenty is still open at the end of the year. */
const openOneIn = 20;
const messagesAtOnce = 50_000;

/**
 * Fills a mesh with the data of a year of use. Uses SQL, because posting would take days. A few sessions are long and
 * most are short: the length of the n-th session is proportional to 1/(n + 50). Each session has four agents who have
 * read it, a document, usage, a memory and four progress entries. Its messages are indexed, and every fifth message is
 * addressed to one agent.
 */
export async function makeYear(sql: Sql, { messages, sessions, agents }: Year): Promise<void> {
  await sql`SELECT set_config('statement_timeout', '0', false)`;
  await sql`CREATE TEMP TABLE year AS
    SELECT i, md5('session ' || i)::uuid AS id, (SELECT mesh_id FROM meshes WHERE name = 'main') AS mesh,
           now() - interval '365 days' + (i - 1) * (interval '364 days' / ${sessions}::int) AS at,
           i % ${openOneIn} = 0 AS open,
           greatest(10, (${messages}::float8 / (i + 50) / (SELECT sum(1.0 / (n + 50)) FROM generate_series(1, ${sessions}::int) n))::int) AS size
    FROM generate_series(1, ${sessions}::int) i`;
  await sql`CREATE TEMP TABLE crew AS
    SELECT y.i, y.id, y.at, a, md5('team ' || y.i || ' ' || a)::uuid AS team, md5('peer ' || y.i || ' ' || a)::uuid AS peer,
           'Agent ' || (y.i * 7 + a * 31) % ${agents}::int + 1 AS name
    FROM year y, generate_series(1, ${agentsPerSession}::int) a`;
  await sql`INSERT INTO sessions (session_id, mesh_id, slug, title, description, created_by_team_id, settings, created_at, updated_at)
    SELECT y.id, mesh, 'year-' || y.i, 'Work ' || y.i, 'What was done in part ' || y.i || ' of the year.', team, '{}', y.at, y.at
    FROM year y JOIN crew c ON c.i = y.i AND c.a = 1`;
  await sql`INSERT INTO session_slugs (mesh_id, slug, session_id) SELECT mesh, 'year-' || i, id FROM year`;
  await sql`INSERT INTO feeds (session_id, last_sequence, last_posted_at, last_chat_sequence, agent_messages, closed_at)
    SELECT id, size, at + interval '1 day', size, size, CASE WHEN open THEN NULL ELSE at + interval '1 day' END FROM year`;
  await sql`INSERT INTO documents (session_id, version, content, updated_at) SELECT id, 1, repeat('What we know. ', 150), at FROM year`;
  await sql`INSERT INTO teams (session_id, team_id, name, secret_hash, joined_at, colour)
    SELECT id, team, name, sha256(uuid_send(gen_random_uuid())), at, a FROM crew`;
  // Agents that have worked for a day have read all messages except the last few.
  await sql`INSERT INTO peers (session_id, peer_id, team_id, offered, acked, last_polled_at, last_seen_at, joined_at)
    SELECT c.id, peer, team, y.size - 3, y.size - 3, c.at + interval '1 day', c.at + interval '1 day', c.at FROM crew c JOIN year y ON y.i = c.i`;
  await sql`INSERT INTO document_versions (session_id, version, content, written_by_team_id, written_by, written_at, after_sequence)
    SELECT id, 1, repeat('What we know. ', 150), team, name, at, 1 FROM crew WHERE a = 1`;
  await sql`INSERT INTO usage (session_id, day, peer_id, task, model, source, reports, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_micros, costed_reports)
    SELECT id, at::date, peer, 0, 'model', 'agent', 20, 40000, 9000, 900000, 50000, 1200000, 20 FROM crew`;
  await sql`INSERT INTO memories (mesh_id, number, content, tags, remembered_by, session_id, remembered_at)
    SELECT mesh, i, 'In work ' || i || ' the build of w' || i % 997 || ' needs more memory.', '{build}', 'Agent 1', id, at FROM year`;
  await sql`INSERT INTO memory_counters (mesh_id, last_number) SELECT mesh, max(i) FROM year GROUP BY mesh`;
  await sql`INSERT INTO progress_projects (mesh_id, project_id, name, created_at, last_number)
    SELECT DISTINCT mesh, 'project-' || p, 'Project ' || p, now(), ${sessions * agentsPerSession}::int FROM year, generate_series(0, 19) p`;
  await sql`INSERT INTO progress_entries (mesh_id, id, project_id, number, title, content, tags, logged_by, session_id, created_at, title_key, tag_keys)
    SELECT y.mesh, left(md5(c.team::text), 12), 'project-' || c.i % 20, (c.i - 1) * ${agentsPerSession}::int + c.a, 'Part ' || c.i, repeat('It was done so. ', 20), '{done}',
           c.name, c.id, c.at, 'part ' || c.i, '{done}' FROM crew c JOIN year y ON y.i = c.i`;
  await addMessages(sql);
  await sql`ANALYZE`;
}

async function addMessages(sql: Sql): Promise<void> {
  const chunks = await sql`
    SELECT min(i) AS first, max(i) AS last FROM (
      SELECT i, (sum(size) OVER (ORDER BY i)) / ${messagesAtOnce}::int AS chunk FROM year) y GROUP BY chunk ORDER BY 1`;
  for (const { first, last } of chunks) {
    // Each message consists of twelve words out of four thousand, so that the word index has a realistic size.
    await sql`
      WITH added AS (
        INSERT INTO messages (session_id, sequence, id, type, kind, posted_by_team_id, posted_by_peer_id, author_team, recipients, reaches, content, salt, posted_at)
        SELECT y.id, n, uuidv7(), 'chat', CASE WHEN n % 500 = 0 THEN 'decision' END, c.team, c.peer, c.name,
               CASE WHEN n % 5 = 0 THEN ARRAY['Another'] ELSE '{*}' END,
               CASE WHEN n % 5 = 0 THEN ARRAY[md5('peer ' || y.i || ' ' || (n + 1) % ${agentsPerSession} + 1)::uuid] END,
               '{"text":"' || (SELECT string_agg('word' || (hashint8(n * 12 + w + y.i) & 4095), ' ') FROM generate_series(1, 12) w) || '"}',
               uuid_send(gen_random_uuid()), y.at + n * (interval '1 day' / y.size)
        FROM year y CROSS JOIN LATERAL generate_series(1, y.size) n JOIN crew c ON c.i = y.i AND c.a = n % ${agentsPerSession} + 1
        WHERE y.i BETWEEN ${first}::int AND ${last}::int
        RETURNING session_id, sequence, posted_at, kind, content)
      INSERT INTO message_words (session_id, sequence, posted_at, decision, words)
      SELECT session_id, sequence, posted_at, kind IS NOT NULL, to_tsvector('english', words_of(content::json ->> 'text')) FROM added`;
  }
  await sql`INSERT INTO search_heads (session_id, last_sequence, document_version) SELECT id, size, 1 FROM year`;
  // Otherwise the first search would begin to read all these texts again, and the measurements would compete with it.
  await sql`DELETE FROM settings WHERE key = 'words_refresh'`;
}
