import { expect, it } from "vitest";
import { connectTestDatabase, createTestDatabase } from "../../../../tests/kit/test-database.js";
import { buildLargeIndexes } from "./large-indexes.js";
import { migrate } from "./migrate.js";

const valid = (sql: ReturnType<typeof connectTestDatabase>) => sql<{ name: string }[]>`
  SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indisvalid AND c.relname IN ('document_versions_by_team', 'messages_replying', 'messages_to_some', 'message_words_by_time', 'message_words_of_decisions')
  ORDER BY c.relname`;
const all = [
  "document_versions_by_team",
  "message_words_by_time",
  "message_words_of_decisions",
  "messages_replying",
  "messages_to_some",
];

it("[DB-42] the indexes of small tables are there after a migration; missing and unfinished ones are built while posts go on", async () => {
  const url = await createTestDatabase();
  const sql = connectTestDatabase(url);
  const signal = new AbortController().signal;
  const list = async () => (await valid(sql)).map(({ name }) => name);
  await migrate(url);
  expect(await list()).toEqual(all);
  expect(await buildLargeIndexes(url, signal)).toEqual([]);

  await sql`DROP INDEX messages_to_some`;
  await migrate(url);
  expect(await list(), "a small table gets its index in the migration").toEqual(all);

  // An interrupted build leaves an index that is not valid. Posts still have to maintain it, but no query uses it.
  await sql`DROP INDEX messages_to_some`;
  const writer = await sql.reserve();
  await writer`BEGIN`;
  await writer`LOCK TABLE messages IN ROW EXCLUSIVE MODE`;
  await sql`SET statement_timeout = 200`;
  await expect(
    sql.unsafe("CREATE INDEX CONCURRENTLY messages_to_some ON messages (session_id, sequence)"),
  ).rejects.toMatchObject({ code: "57014" });
  await writer`COMMIT`;
  writer.release();
  await sql`SET statement_timeout = 0`;
  expect(await list()).not.toContain("messages_to_some");
  expect(await buildLargeIndexes(url, signal)).toEqual(["messages_to_some"]);
  expect(await list()).toEqual(all);
});

it("[DB-42] one node builds at a time, and a node that stops ends its build", async () => {
  const url = await createTestDatabase();
  const sql = connectTestDatabase(url);
  await migrate(url);
  await sql`DROP INDEX messages_to_some`;
  // The build waits for this transaction, as for every post that is under way.
  const writer = await sql.reserve();
  await writer`BEGIN`;
  await writer`LOCK TABLE messages IN ROW EXCLUSIVE MODE`;
  const stopping = new AbortController();
  const building = buildLargeIndexes(url, stopping.signal);
  await expect
    .poll(
      () =>
        sql`SELECT FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event IS NOT NULL`,
    )
    .toHaveLength(1);
  expect(await buildLargeIndexes(url, new AbortController().signal)).toEqual([]);
  stopping.abort();
  await expect(building).rejects.toThrow();
  await writer`COMMIT`;
  writer.release();
});
