import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@merkle/db";
import type postgres from "postgres";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { putAuditKey } from "../../../../../tests/kit/audit-key.js";
import { connectTestDatabase, createTestDatabase } from "../../../../../tests/kit/test-database.js";
import { createLog } from "../../core/log.js";
import { startWorkers, type WorkerPool } from "../../core/workers/workers.js";
import { openAuditKey } from "../../identity/audit-key/audit-key.js";
import { getWorkerEntry } from "../../start/worker-entry.js";
import { createRecords } from "./records.js";

const workers = startWorkers({ entry: getWorkerEntry() });
afterAll(workers.stop);

/** Creates the part of a node that signs session records in a database. */
async function startNode(target: string, workers: WorkerPool) {
  const home = await mkdtemp(join(tmpdir(), "merkle-node-"));
  await putAuditKey(home);
  const database = await openDatabase({ target });
  onTestFinished(async () => {
    await database.close();
    await rm(home, { recursive: true, force: true });
  });
  const signer = await openAuditKey({
    home,
    database,
    shouldCreateKey: false,
    log: createLog(() => undefined),
  });
  return createRecords({ database, workers, signer });
}

async function makeSession(sql: postgres.Sql, messages: number): Promise<string> {
  const session = randomUUID();
  const [mesh] = await sql`SELECT mesh_id FROM meshes`;
  await sql`INSERT INTO sessions VALUES (${session}, ${mesh?.["mesh_id"]}, 'oak', 'Oak', '', ${session}, '{}', now(), now())`;
  await sql`INSERT INTO feeds (session_id, last_sequence, last_posted_at) VALUES (${session}, ${messages}, now())`;
  await sql`INSERT INTO documents (session_id, updated_at) VALUES (${session}, now())`;
  await sql`
    INSERT INTO messages (session_id, sequence, id, type, content, salt, posted_at)
    SELECT ${session}, n, gen_random_uuid(), 'system', '{"event":"team_left"}', uuid_send(gen_random_uuid()), now()
    FROM generate_series(1, ${messages}::int) n`;
  return session;
}

it("[SEAL-3] [SEAL-6] nodes that sign the same record at the same moment give one head, and write the same tiles", async () => {
  const target = await createTestDatabase();
  const sql = connectTestDatabase(target);
  const nodes = await Promise.all([startNode(target, workers), startNode(target, workers)]);
  const session = await makeSession(sql, 3_000);
  const heads = await Promise.all([...nodes, ...nodes].map((node) => node.findCurrentHead(session)));
  expect(new Set(heads.map((each) => each?.head.signature)).size).toBe(1);
  const tiles = await sql`
    SELECT number::int, hashes, root FROM record_tiles WHERE session_id = ${session} ORDER BY number`;
  expect(tiles.map(({ number }) => number)).toEqual(Array.from({ length: 11 }, (_, number) => number));

  // Computing all tiles again from scratch gives the same result.
  await sql`DELETE FROM record_tiles WHERE session_id = ${session}`;
  await sql`DELETE FROM heads WHERE session_id = ${session}`;
  const again = await nodes[1]?.findCurrentHead(session);
  expect(again?.head.root).toBe(heads[0]?.head.root);
  expect(
    await sql`SELECT number::int, hashes, root FROM record_tiles WHERE session_id = ${session} ORDER BY number`,
  ).toEqual(tiles);
});

it("[SEAL-6] what was left half done, by a node that was killed, is gone on with", async () => {
  const target = await createTestDatabase();
  const sql = connectTestDatabase(target);
  const node = await startNode(target, workers);
  const session = await makeSession(sql, 3_000);
  const result = await node.findCurrentHead(session);
  await sql`DELETE FROM heads WHERE session_id = ${session}`;
  await sql`DELETE FROM record_tiles WHERE session_id = ${session} AND number > 4`;
  expect((await node.findCurrentHead(session))?.head.root).toBe(result?.head.root);
  expect(await sql`SELECT FROM record_tiles WHERE session_id = ${session}`).toHaveLength(11);
});
