import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@merkle/db";
import { computeLogRoot, growTree, hashLeaf, parseCheckpoint, parseLogEntry } from "@merkle/wire/record";
import type postgres from "postgres";
import { expect, it, onTestFinished } from "vitest";
import { putAuditKey } from "../../../../../tests/kit/audit-key.js";
import { connectTestDatabase, createTestDatabase } from "../../../../../tests/kit/test-database.js";
import { createLog } from "../../core/log.js";
import { sha256 } from "../../core/sha256.js";
import { openAuditKey } from "../../identity/audit-key/audit-key.js";
import { createMeshLog } from "./mesh-log.js";

/** Creates the part of a node that keeps the log of the main mesh. */
async function startNode(target: string) {
  const home = await mkdtemp(join(tmpdir(), "merkle-node-"));
  await putAuditKey(home);
  const database = await openDatabase({ target });
  onTestFinished(async () => {
    await database.close();
    await rm(home, { recursive: true, force: true });
  });
  const log = createLog(() => undefined);
  const signer = await openAuditKey({ home, database, shouldCreateKey: false, log });
  return createMeshLog({ database, signer, meshId: database.meshId });
}

/** Adds heads of a session of their own, as `saveHead` stores them. */
async function addHeads(sql: postgres.Sql, epoch: string, count: number): Promise<void> {
  const session = randomUUID();
  const [mesh] = await sql`SELECT mesh_id FROM meshes`;
  await sql`INSERT INTO sessions VALUES (${session}, ${mesh?.["mesh_id"]}, ${session}, 'Oak', '', ${session}, '{}', now(), now())`;
  await sql`
    INSERT INTO heads (session_id, size, document_version, epoch, record_id, root, document_root, at, key_id, signature)
    SELECT ${session}, n, 0, ${epoch}, ${session}, ${randomBytes(32)}, ${randomBytes(32)}, now(), ${"0".repeat(32)}, sha512(convert_to(${session} || n, 'UTF8'))
    FROM generate_series(1, ${count}::int) n`;
}

it("[WITNESS-7] [WITNESS-8] nodes that append at the same moment make one log without gaps, and one checkpoint for a size", async () => {
  const target = await createTestDatabase();
  const sql = connectTestDatabase(target);
  const nodes = [await startNode(target), await startNode(target)];
  const epoch = nodes[0]?.key.epoch ?? "";
  const notes = new Map<number, Set<string>>();
  for (let round = 0; round < 8; round += 1) {
    await addHeads(sql, epoch, 1 + round * 37);
    for (const { size, note } of await Promise.all([...nodes, ...nodes].map((node) => node.readCheckpoint())))
      notes.set(size, (notes.get(size) ?? new Set()).add(note));
  }
  for (const each of notes.values()) expect(each.size).toBe(1);
  const rows = await sql`SELECT index::int, text FROM log_entries ORDER BY index`;
  expect(rows.map(({ index }) => index)).toEqual(rows.map((_, index) => index));
  expect(new Set(rows.map(({ text }) => text)).size).toBe(rows.length);
  expect(await sql`SELECT FROM heads`).toHaveLength(rows.length);

  // Every root of the stored subtrees is that of a tree grown leaf by leaf.
  const tree = growTree(sha256);
  for (const { index, text } of rows) {
    tree.push(hashLeaf(Buffer.from(text), sha256));
    const root = await computeLogRoot(index + 1, nodes[0]?.readSubtrees ?? (async () => []), sha256);
    expect(Buffer.from(root)).toEqual(Buffer.from(tree.root()));
  }
});

it("[WITNESS-7] a restore begins a new log with the last checkpoint of the one before", async () => {
  const target = await createTestDatabase();
  const sql = connectTestDatabase(target);
  const before = await startNode(target);
  await addHeads(sql, before.key.epoch, 3);
  const { note } = await before.readCheckpoint();
  await sql`UPDATE settings SET value = to_jsonb(${randomUUID()}::text) WHERE key = 'epoch'`;
  const after = await startNode(target);
  await addHeads(sql, after.key.epoch, 2);
  const checkpoint = parseCheckpoint((await after.readCheckpoint()).note, sha256);
  expect(checkpoint).toMatchObject({ origin: `merkle/${after.key.meshId}/${after.key.epoch}`, size: 3 });
  const [first] = await sql`SELECT text FROM log_entries WHERE epoch = ${after.key.epoch} AND index = 0`;
  expect(parseLogEntry(first?.["text"])).toEqual({ begins: note });
});
