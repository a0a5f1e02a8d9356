import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { openDatabase } from "../start/open-database.js";
import { backupDatabase } from "./backup-database.js";
import { sortByReference } from "./catalog.js";
import type { BackupProgress } from "./manifest.js";
import { readBackupManifest } from "./read-backup-file.js";
import { restoreDatabase } from "./restore-database.js";
import {
  addMessages,
  createMessageRow,
  fill,
  makeDatabase,
  makeMerkleDatabase,
  query,
  type TestDatabase,
  toTestServer,
} from "./test-support.js";
import { withSnapshot } from "./transaction.js";

const run = promisify(execFile);

/** The PostgreSQL server that all tests share. */
const current = toTestServer(inject("postgres"));

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "merkle-backups-"));
  file = join(folder, "merkle.backup");
});
afterEach(() => rm(folder, { recursive: true }));

describe("a backup", () => {
  it("[BACKUP-1] is of one moment, while messages are posted", async () => {
    const source = await makeMerkleDatabase(current);
    const { sessionId } = await fill(source);
    const others = await addFeeds(source, 3);
    const db = await openDatabase({ target: source });
    let over = false;
    const posting = [sessionId, ...others].map(async (id) => {
      while (!over) await db.append([createMessageRow(id, "a"), createMessageRow(id, "b")]);
    });
    // Waits until each feed has its first message, because a feed that is empty when the backup starts would
    // be missing from the count below.
    while ((await countMessages(source)) < 100 || (await countBegun(source)) < 4);
    const { tables } = await backupDatabase({ target: source, file });
    over = true;
    await Promise.all(posting);
    await db.close();
    const backedUp = tables.find(({ name }) => name === "messages")?.rows;
    expect(backedUp).toBeGreaterThanOrEqual(100);
    expect(backedUp).toBeLessThan(await countMessages(source));

    const target = await makeDatabase(current);
    await restoreDatabase({ target, file });
    const feeds = await query(
      target,
      (sql) => sql`
        SELECT f.last_sequence::int AS last, count(m.sequence)::int AS messages, min(m.sequence)::int AS first,
               max(m.sequence)::int AS highest
        FROM feeds f JOIN messages m USING (session_id) GROUP BY f.session_id`,
    );
    expect(feeds).toHaveLength(4);
    for (const { first, highest, last, messages } of feeds) {
      expect({ first, highest, messages }).toEqual({ first: 1, highest: last, messages: last });
    }
  });

  it("[BACKUP-1] is readable for its owner alone, and says what it holds", async () => {
    const source = await makeMerkleDatabase(current);
    await fill(source);
    const summary = await backupDatabase({ target: source, file, merkleVersion: "1.2.3" });
    const { mode, size } = await stat(file);
    expect(mode & 0o777).toBe(0o600);
    expect(summary.bytes).toBe(size);
    expect(summary.tables).toContainEqual({ name: "messages", rows: 3 });
    expect(await readBackupManifest(file)).toMatchObject({
      format: "merkle-backup",
      merkle_version: "1.2.3",
      epoch: summary.epoch,
      migrations: summary.migrations,
    });
    expect(await readdir(folder)).toEqual(["merkle.backup"]);
  });

  it("[CLI-171] reports rows of an estimated total, and a restore the file's bytes and then rows of an exact one", async () => {
    const source = await makeMerkleDatabase(current);
    await addMessages(source, 8_000);
    await query(source, (sql) => sql`ANALYZE messages`);
    const written: BackupProgress[] = [];
    await backupDatabase({ target: source, file, onProgress: (progress) => written.push(progress) });
    const { done, total } = written.at(-1) ?? { done: 0, total: 0 };
    expect(done).toBeGreaterThanOrEqual(8_000);
    expect(total === null || total >= done).toBe(true);
    expect(written[0]?.total).toBeGreaterThanOrEqual(8_000);

    const read: BackupProgress[] = [];
    const target = await makeDatabase(current);
    const { tables } = await restoreDatabase({ target, file, onProgress: (progress) => read.push(progress) });
    const checked = read.findLast(({ step }) => step === "check");
    const { size } = await stat(file);
    expect(checked).toEqual({ step: "check", done: size, total: size });
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    expect(read.at(-1)).toEqual({ step: "copy", done: rows, total: rows });
  });

  it("[BACKUP-1] replaces no file unless it is told to", async () => {
    const source = await makeMerkleDatabase(current);
    await writeFile(file, "precious");
    const read: string[] = [];
    const onProgress = ({ step }: BackupProgress) => read.push(step);
    await expect(backupDatabase({ target: source, file, onProgress })).rejects.toMatchObject({
      code: "file_exists",
    });
    expect(read, "rows read in vain").toEqual([]);
    expect(await readFile(file, "utf8")).toBe("precious");
    await backupDatabase({ target: source, file, overwrite: true });
    expect(await readBackupManifest(file)).toMatchObject({ format: "merkle-backup" });
  });

  it("[BACKUP-1] leaves alone a file that somebody wrote under its name meanwhile", async () => {
    const source = await makeMerkleDatabase(current);
    const onProgress = () => writeFileSync(file, "precious");
    await expect(backupDatabase({ target: source, file, onProgress })).rejects.toMatchObject({
      code: "file_exists",
    });
    expect(await readFile(file, "utf8")).toBe("precious");
    expect(await readdir(folder)).toEqual(["merkle.backup"]);
  });

  it("[BACKUP-1] that is ended leaves nothing, and lets go of the database", async () => {
    const source = await makeMerkleDatabase(current);
    await addMessages(source, 8_000);
    const controller = new AbortController();
    const onProgress = ({ done }: BackupProgress) => {
      if (done > 4_000) controller.abort();
    };
    await expect(
      backupDatabase({ target: source, file, onProgress, signal: controller.signal }),
    ).rejects.toMatchObject({ name: "AbortError" });
    expect(await readdir(folder)).toEqual([]);
    await query(source, (sql) =>
      sql.begin(async (tx) => {
        // The server needs a moment to end the terminated connection, and ANALYZE gives way to waiting locks.
        await tx`SET LOCAL lock_timeout = '20s'`;
        await tx`LOCK TABLE messages IN ACCESS EXCLUSIVE MODE`;
      }),
    );
  });

  it("[BACKUP-1] that finds the disk full leaves nothing and says so", { tags: "mounts" }, async () => {
    const source = await makeMerkleDatabase(current);
    await addMessages(source, 8_000);
    const small = join(folder, "small");
    await mkdir(small);
    await run("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", small]);
    try {
      await expect(
        backupDatabase({ target: source, file: join(small, "merkle.backup") }),
      ).rejects.toMatchObject({ code: "disk_full", message: expect.stringContaining("Free some space") });
      expect(await readdir(small)).toEqual([]);
    } finally {
      await run("umount", [small]);
    }
  });

  it("[BACKUP-1] takes memory that does not grow with the messages, and neither does a restore", {
    tags: "long",
  }, async () => {
    const source = await makeMerkleDatabase(current);
    await addMessages(source, 25_000);
    const target = await makeDatabase(current);
    const before = memory();
    const taken: number[] = [];
    let told = 0;
    const onProgress = () => {
      told += 1;
      // Samples every fortieth call. Streams in newer Node versions use larger chunks, so they report
      // progress less often.
      if (told % 40 === 0) taken.push(memory() - before);
    };
    await backupDatabase({ target: source, file, onProgress });
    const summary = await restoreDatabase({ target, file, onProgress });
    expect(summary.tables).toContainEqual({ name: "messages", rows: 25_000 });
    // The rows take 65 MB. If they were all kept in memory, at least a quarter of the samples would show it.
    // A buffer that has not been freed yet shows up in only one or two samples.
    const upperQuartile = taken.toSorted((a, b) => b - a)[Math.floor(taken.length / 4)];
    expect(taken.length).toBeGreaterThan(20);
    expect(upperQuartile).toBeLessThan(32e6);
  });

  it("[BACKUP-1] may take longer than a request, and reads dates alike whatever the database's style", async () => {
    const source = await makeMerkleDatabase(current);
    await query(source, (sql) => sql.unsafe(`ALTER DATABASE ${source.database} SET datestyle = 'SQL, DMY'`));
    const names = ["statement_timeout", "idle_in_transaction_session_timeout", "datestyle"];
    const values = await withSnapshot(source, ({ sql }) =>
      Promise.all(names.map((name) => sql`SELECT current_setting(${name}) AS value`)),
    );
    expect(values.map(([row]) => row?.["value"])).toEqual(["0", "0", "ISO, YMD"]);
  });

  it("[BACKUP-1] is not made of a database without Merkle, or of none", async () => {
    const empty = await makeDatabase(current);
    await expect(backupDatabase({ target: empty, file })).rejects.toMatchObject({
      code: "no_merkle_database",
    });
    const nowhere = { ...empty, host: "127.0.0.1", port: 1 };
    await expect(backupDatabase({ target: nowhere, file })).rejects.toMatchObject({
      code: "connection_failed",
    });
    const source = await makeMerkleDatabase(current);
    await expect(
      backupDatabase({ target: source, file: join(folder, "none", "merkle.backup") }),
    ).rejects.toMatchObject({ code: "file_missing" });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("the order of tables", () => {
  const table = (name: string, ...refersTo: string[]) => ({ name, refersTo });

  it("[BACKUP-2] puts each after those that it refers to", () => {
    const tables = [table("c", "b"), table("a"), table("b", "a"), table("d", "a", "elsewhere")];
    expect(sortByReference(tables).map(({ name }) => name)).toEqual(["a", "b", "d", "c"]);
  });

  it("[BACKUP-2] does not exist for a circle", () => {
    expect(() => sortByReference([table("a", "b"), table("b", "a"), table("c")])).toThrow(
      /foreign keys of a, b form a cycle/,
    );
  });
});

function memory(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc()");
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function countMessages(database: TestDatabase): Promise<number> {
  const [row] = await query(database, (sql) => sql`SELECT count(*)::int AS messages FROM messages`);
  return Number(row?.["messages"]);
}

async function countBegun(database: TestDatabase): Promise<number> {
  const [row] = await query(
    database,
    (sql) => sql`SELECT count(*)::int AS feeds FROM feeds WHERE last_sequence > 0`,
  );
  return Number(row?.["feeds"]);
}

async function addFeeds(database: TestDatabase, count: number): Promise<string[]> {
  const rows = await query(
    database,
    (sql) =>
      sql`INSERT INTO feeds (session_id) SELECT gen_random_uuid() FROM generate_series(1, ${count}) RETURNING session_id`,
  );
  return rows.map((row) => String(row["session_id"]));
}
