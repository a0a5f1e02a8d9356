import { createHash, randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import type postgres from "postgres";
import { makeRow } from "../../../../tests/kit/message-row.js";
import { connectPool } from "../core/connection.js";
import type { EmbeddedPostgres } from "../embedded/index.js";
import type { MessageRow } from "../feed/message-row.js";
import { openDatabase } from "../start/open-database.js";

/** The address of a database, as separate fields. */
export type TestDatabase = EmbeddedPostgres["connection"];

/** A PostgreSQL server, identified by one of its databases. */
export interface TestServer {
  readonly connection: TestDatabase;
  /** Name of a migrated database on the server that serves as a template, if there is one. */
  readonly template?: string;
}

export function toTestServer({ serverUrl, template }: { serverUrl: string; template: string }): TestServer {
  const { hostname: host, port, username: user, password } = new URL(serverUrl);
  return { connection: { host, port: Number(port), user, password, database: "postgres" }, template };
}

/** Creates an empty database for one test. */
export function makeDatabase(server: TestServer): Promise<TestDatabase> {
  return createDatabase(server, "");
}

/** Creates a database on which a broker has already started once. */
export async function makeMerkleDatabase(server: TestServer): Promise<TestDatabase> {
  const database = await createDatabase(server, server.template ? `TEMPLATE ${server.template}` : "");
  await (await openDatabase({ target: database })).close();
  return database;
}

async function createDatabase(server: TestServer, how: string): Promise<TestDatabase> {
  const database = `test_${randomUUID().replaceAll("-", "")}`;
  // Only the superuser may create databases.
  const connection = { ...server.connection, user: "merkle" };
  await query(connection, (sql) => sql.unsafe(`CREATE DATABASE ${database} ${how}`));
  return { ...connection, database };
}

export async function query<Result>(
  database: TestDatabase,
  work: (sql: postgres.Sql) => Promise<Result>,
): Promise<Result> {
  const sql = connectPool(database, 1);
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Returns every row of every table as text. */
export async function readAll(database: TestDatabase): Promise<Record<string, string[]>> {
  return query(database, async (sql) => {
    await sql`SET datestyle = 'ISO'`;
    const all: Record<string, string[]> = {};
    const tables = await sql`SELECT relname FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`;
    for (const { relname } of tables) {
      const rows = await sql`SELECT t::text AS row FROM ${sql(relname)} t ORDER BY 1`;
      all[relname] = rows.map(({ row }) => String(row));
    }
    return all;
  });
}

/** Inserts rows into every table, with values that are difficult to represent in a text format. */
export async function fill(database: TestDatabase): Promise<{ sessionId: string }> {
  const awkward =
    "tab\t line\n return\r back\\slash \\N \\. \"quotes\" 'and' {braces,} \u{1F333} \u0001 end\\";
  const [sessionId, teamId, peerId] = [randomUUID(), randomUUID(), randomUUID()];
  const personId = randomUUID();
  await query(database, async (sql) => {
    const [mesh] = await sql`SELECT mesh_id FROM meshes`;
    const meshId = String(mesh?.["mesh_id"]);
    await sql`INSERT INTO settings (key, value) VALUES ('broker', ${sql.json({ name: awkward })})`;
    await sql`INSERT INTO sessions VALUES
      (${sessionId}, ${meshId}, 'oak', ${awkward}, '', ${teamId}, '{"budget": 1.50}', now(), now(), NULL)`;
    await sql`INSERT INTO session_slugs VALUES (${meshId}, 'oak', ${sessionId})`;
    await sql`INSERT INTO teams VALUES
      (${sessionId}, ${teamId}, ${awkward}, 'human', sha256('secret'), '0999-12-31 23:59:59.999+00', 'infinity')`;
    await sql`INSERT INTO persons VALUES (${meshId}, ${personId}, ${awkward}, sha256('secret'), now())`;
    await sql`INSERT INTO person_reads VALUES (${meshId}, ${personId}, ${sessionId}, 2)`;
    await sql`INSERT INTO peers (session_id, peer_id, team_id) VALUES (${sessionId}, ${peerId}, ${teamId})`;
    await sql`INSERT INTO feeds VALUES (${sessionId}, 0, NULL, NULL)`;
    await sql`INSERT INTO documents VALUES (${sessionId}, 1, ${awkward}, ${"\\."}, now())`;
    await sql`INSERT INTO document_versions VALUES (${sessionId}, 1, ${awkward}, ${teamId}, '', now(), 0)`;
    await sql`INSERT INTO idempotent_results VALUES (${meshId}, sha256('key'), sha256('input'), NULL)`;
    await sql`INSERT INTO mcp_sessions VALUES (${meshId}, sha256('id'), '{"a": null}')`;
    await sql`INSERT INTO memory_counters VALUES (${meshId}, 1)`;
    await sql`INSERT INTO memories (mesh_id, number, content, tags, remembered_by, session_id, remembered_at)
      VALUES (${meshId}, 1, ${awkward}, ARRAY[${awkward}, 'b'], ${awkward}, ${sessionId}, now())`;
    await sql`INSERT INTO progress_projects VALUES (${meshId}, 'p', ${awkward}, now(), 1)`;
    await sql`INSERT INTO progress_entries (mesh_id, id, project_id, number, title, content, tags, logged_by, created_at, title_key, tag_keys)
      VALUES (${meshId}, 'a1b2c3d4e5f6', 'p', 1, ${awkward}, ${awkward}, ARRAY[${awkward}], ${awkward}, now(), ${awkward}, ARRAY[${awkward}])`;
    await sql`INSERT INTO audit_counters VALUES (${meshId}, 1, 1)`;
    await sql`INSERT INTO audit_sessions VALUES (${meshId}, ${awkward}, 1, ${awkward}, NULL, ${peerId}, now(), 1)`;
    const [zeros, hash] = ["0".repeat(64), "ab".repeat(32)];
    await sql`INSERT INTO thought_records VALUES
      (${meshId}, 1, ${randomUUID()}, 'plan', ${awkward}, ${awkward}, now(), ${zeros}, ${hash}, ${awkward}, ${awkward})`;
    await sql`INSERT INTO merkle_roots VALUES (${meshId}, ${awkward}, ${hash}, 1, now())`;
    await sql`INSERT INTO record_tiles VALUES
      (${sessionId}, 'feed', 0, 0, decode(repeat('0a', 8192), 'hex'), sha256('tile'))`;
    await sql`INSERT INTO record_rests VALUES (${sessionId}, 'feed', 2, decode(repeat('0a', 64), 'hex'))`;
    const keyId = "ab".repeat(16);
    const signature = sql`decode(repeat('5c', 64), 'hex')`;
    await sql`INSERT INTO heads VALUES (${sessionId}, 0, 0, ${peerId}, ${sessionId}, sha256(''), NULL, sha256(''), now(), ${keyId}, ${signature}, true)`;
    await sql`INSERT INTO audit_keys VALUES
      (${"0".repeat(32)}, 1, sha256('first'), now(), NULL, NULL), (${keyId}, 2, sha256('second'), now(), ${"0".repeat(32)}, ${signature})`;
    await sql`INSERT INTO origin_keys VALUES (${sessionId}, ${keyId}, sha256('origin'), now(), NULL, NULL)`;
    await sql`INSERT INTO import_files VALUES (${sessionId}, 'manifest.json', 0, '\\x00ff0a0d5c')`;
    await sql`INSERT INTO search_heads VALUES (${sessionId}, 1, 1)`;
    await sql`INSERT INTO message_words VALUES (${sessionId}, 1, true, now(), to_tsvector('english', ${awkward}))`;
    await sql`INSERT INTO document_words VALUES (${sessionId}, 1, 1, ${awkward}, ${"'it''s':3A 'back\\\\slash':1"})`;
    await sql`INSERT INTO mcp_session_teams VALUES (${meshId}, sha256('id'), ${sessionId}, '\\x00ff0a0d5c')`;
  });
  await append(database, sessionId, ["", awkward, "third"], awkward);
  return { sessionId };
}

/** Posts one message per text. */
export async function append(
  database: TestDatabase,
  sessionId: string,
  texts: readonly string[],
  author = "Oak",
): Promise<number[]> {
  const db = await openDatabase({ target: database });
  try {
    const outcomes = await db.append(texts.map((text) => createMessageRow(sessionId, text, author)));
    return outcomes.map((each) => ("sequence" in each ? each.sequence : 0));
  } finally {
    await db.close();
  }
}

/** Inserts `count` messages of 2.6 KB each. */
export async function addMessages(database: TestDatabase, count: number): Promise<void> {
  await query(database, async (sql) => {
    // Inserts in batches, because on a busy machine one large insert exceeded the statement timeout.
    for (let first = 1; first <= count; first += messagesAtOnce) {
      const last = Math.min(count, first + messagesAtOnce - 1);
      await sql`
        INSERT INTO messages (session_id, sequence, id, type, content, salt, posted_at)
        SELECT '018f0000-0000-7000-8000-000000000000', n, gen_random_uuid(), 'system',
               repeat(md5(n::text), 80), decode(md5(n::text), 'hex'), now()
        FROM generate_series(${first}::int, ${last}::int) n`;
    }
  });
}

const messagesAtOnce = 2_000;

export function createMessageRow(sessionId: string, text: string, author = "Oak"): MessageRow {
  const content = JSON.stringify({ text });
  return makeRow(sessionId, { peer_id: null, author_team: author, recipients: ["*", author], content });
}

/** Returns the uncompressed content of a backup file. */
export async function readContent(file: string): Promise<Buffer> {
  return gunzipSync(await readFile(file));
}

/** Copies a backup with a changed first line and a hash that matches the change. */
export async function forgeManifest(from: string, to: string, change: object): Promise<void> {
  const content = await readContent(from);
  const firstEnd = content.indexOf(10);
  const trailerStart = content.lastIndexOf('{"rows"');
  const manifest = { ...JSON.parse(content.toString("utf8", 0, firstEnd)), ...change };
  const trailer = JSON.parse(content.toString("utf8", trailerStart));
  const body = Buffer.concat([
    Buffer.from(`${JSON.stringify(manifest)}\n`),
    content.subarray(firstEnd + 1, trailerStart),
  ]);
  const sha256 = createHash("sha256").update(body).digest("hex");
  await writeFile(
    to,
    gzipSync(Buffer.concat([body, Buffer.from(`${JSON.stringify({ ...trailer, sha256 })}\n`)])),
  );
}
