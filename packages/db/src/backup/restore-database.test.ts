import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type postgres from "postgres";
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { isExhaustive } from "../../../../tests/kit/exhaustive.js";
import { connectPool } from "../core/connection.js";
import { isConnectionLost } from "../core/database-error.js";
import { readKnownMigrations } from "../core/migrations.js";
import { findOldestBinaries, makeTestHome } from "../embedded/test-support.js";
import { openDatabase } from "../start/open-database.js";
import { backupDatabase } from "./backup-database.js";
import type { BackupProgress } from "./manifest.js";
import { migrateTo } from "./migrate-to.js";
import { restoreDatabase } from "./restore-database.js";
import {
  addMessages,
  append,
  fill,
  forgeManifest,
  makeDatabase,
  makeMerkleDatabase,
  query,
  readAll,
  readContent,
  type TestDatabase,
  toTestServer,
} from "./test-support.js";
import { withRestore } from "./transaction.js";

/** The PostgreSQL server that all tests share. */
const current = toTestServer(inject("postgres"));

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "merkle-backups-"));
  file = join(folder, "merkle.backup");
});
afterEach(() => rm(folder, { recursive: true }));

describe("a restore", () => {
  it("[BACKUP-2] brings back every row as it was, and the feed goes on", async () => {
    const source = await makeMerkleDatabase(current);
    await query(source, (sql) => sql.unsafe(`ALTER DATABASE ${source.database} SET datestyle = 'SQL, DMY'`));
    const { sessionId } = await fill(source);
    await backupDatabase({ target: source, file });
    const target = await makeDatabase(current);
    const summary = await restoreDatabase({ target, file });
    await expectSame(source, target);
    expect(summary.tables).toContainEqual({ name: "messages", rows: 3 });
    expect(summary.skipped).toEqual([]);
    expect(await append(target, sessionId, ["next"])).toEqual([4]);
    await expect(query(target, (sql) => sql`DELETE FROM messages`)).rejects.toThrow("append-only");
  });

  it("[BACKUP-2] brings back tables that nobody listed, fires no trigger, and goes on with their numbers", {
    tags: "long",
  }, async () => {
    const [source, target] = [await makeMerkleDatabase(current), await makeMerkleDatabase(current)];
    const tables = `
      CREATE TABLE "A ""child""" (id int REFERENCES z_parents, PRIMARY KEY (id));
      CREATE TABLE z_parents (
        id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, above int REFERENCES z_parents, name text,
        loud text GENERATED ALWAYS AS (upper(name)) STORED);
      CREATE TABLE shares (id int, PRIMARY KEY (id)) PARTITION BY HASH (id);
      CREATE TABLE shares_0 PARTITION OF shares FOR VALUES WITH (modulus 2, remainder 0);
      CREATE TABLE shares_1 PARTITION OF shares FOR VALUES WITH (modulus 2, remainder 1);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN NEW.name := NEW.name || ' noted'; RETURN NEW; END $$;
      CREATE TRIGGER noted BEFORE INSERT ON z_parents FOR EACH ROW EXECUTE FUNCTION note();`;
    // Alphabetically the child table comes first, so only its foreign key can move it after the parent table.
    const [child = "", ...others] = tables.split(/(?<=PRIMARY KEY \(id\)\);)/);
    for (const database of [source, target]) {
      await query(database, (sql) => sql.unsafe(others.join("") + child).simple());
    }
    await query(source, (sql) =>
      sql
        .unsafe(`INSERT INTO z_parents (above, name) VALUES (2, 'oak'), (NULL, 'elm');
          INSERT INTO "A ""child""" VALUES (1), (2);
          INSERT INTO shares SELECT generate_series(1, 10);
          CREATE TABLE by_hand (id int); INSERT INTO by_hand VALUES (1);`)
        .simple(),
    );
    await backupDatabase({ target: source, file });
    expect(await restoreDatabase({ target, file })).toMatchObject({ skipped: ["by_hand"] });
    await query(source, (sql) => sql`DROP TABLE by_hand`);
    await expectSame(source, target);
    const added = await query(
      target,
      (sql) => sql`INSERT INTO z_parents (name) VALUES ('ash') RETURNING id, loud`,
    );
    expect(added).toMatchObject([{ id: 3, loud: "ASH NOTED" }]);
  });

  it("[BACKUP-3] gives the database a new epoch, and a broker starts on it", { tags: "long" }, async () => {
    const source = await makeMerkleDatabase(current);
    await query(
      source,
      (sql) => sql`
        INSERT INTO nodes (node_id, version, address, bus, epoch, audit_key, clock_ms)
        VALUES (gen_random_uuid(), '1.0.0', '', 'postgres', 'e', 'k', 0)`,
    );
    const { epoch: previousEpoch } = await backupDatabase({ target: source, file });
    const target = await makeMerkleDatabase(current);
    const { epoch, ...summary } = await restoreDatabase({ target, file });
    expect(summary).toMatchObject({ previousEpoch });
    expect(epoch).not.toBe(previousEpoch);
    // The restore deletes the nodes of the broker that was backed up.
    expect(await query(target, (sql) => sql`SELECT FROM nodes`)).toHaveLength(0);
    const [before, after] = [await openDatabase({ target: source }), await openDatabase({ target })];
    expect(after).toMatchObject({ epoch, meshId: before.meshId, migrationsRun: 0 });
    await Promise.all([before.close(), after.close()]);
  });

  it("[BACKUP-3] refuses a file that is cut off, wherever, and changes nothing", async () => {
    const source = await makeMerkleDatabase(current);
    await fill(source);
    await backupDatabase({ target: source, file });
    const bytes = await readFile(file);
    const content = await readContent(file);
    const target = await makeDatabase(current);
    for (const part of [0.2, 0.5, 0.9, 0.999]) {
      await writeFile(file, bytes.subarray(0, Math.floor(bytes.length * part)));
      await expect(restoreDatabase({ target, file })).rejects.toMatchObject({ code: "truncated" });
      await writeFile(file, gzipSync(content.subarray(0, Math.floor(content.length * part))));
      await expect(restoreDatabase({ target, file })).rejects.toMatchObject({ code: "truncated" });
    }
    await expectUntouched(target);
  });

  it("[BACKUP-3] refuses a file in which anything was changed, and changes nothing", async () => {
    const source = await makeMerkleDatabase(current);
    await fill(source);
    await backupDatabase({ target: source, file });
    const target = await makeDatabase(current);
    const bytes = await readFile(file);
    for (const at of [Math.floor(bytes.length / 2), bytes.length - 6]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      await writeFile(file, changed);
      await expect(restoreDatabase({ target, file })).rejects.toMatchObject({ code: "altered" });
    }
    await writeFile(file, bytes);
    const whole = (await readContent(file)).toString("latin1");
    const forgeries = [
      whole.replace('"third"', '"3rd!!"'),
      whole.replace('"created_at":"20', '"created_at":"19'),
      whole.replace('"rows":[', '"rows":[9'),
      `${whole} `,
    ];
    for (const forgery of forgeries) {
      await writeFile(file, gzipSync(Buffer.from(forgery, "latin1")));
      await expect(restoreDatabase({ target, file })).rejects.toMatchObject({ code: "altered" });
    }
    await expectUntouched(target);
  });

  it("[BACKUP-3] refuses what is no backup, or one of a newer Merkle", async () => {
    const target = await makeDatabase(current);
    await expect(restoreDatabase({ target, file })).rejects.toMatchObject({ code: "file_missing" });
    await expect(restoreDatabase({ target, file: folder })).rejects.toMatchObject({
      code: "file_inaccessible",
    });
    for (const other of [
      "Dear diary,\n",
      gzipSync(""),
      gzipSync("Dear diary,\n"),
      gzipSync("Dear"),
      gzipSync("[]\n"),
    ]) {
      await writeFile(file, other);
      await expect(restoreDatabase({ target, file })).rejects.toMatchObject({ code: "not_a_backup" });
    }
    const source = await makeMerkleDatabase(current);
    const genuine = join(folder, "genuine");
    await backupDatabase({ target: source, file: genuine });
    await writeFile(file, "");
    await expect(restoreDatabase({ target, file })).rejects.toMatchObject({ code: "truncated" });
    await forgeManifest(genuine, file, { version: 2, tables: "in another way" });
    await expect(restoreDatabase({ target, file })).rejects.toMatchObject({ code: "newer_format" });
    await forgeManifest(genuine, file, { migrations: [...readKnownMigrations(), 9_000_000_000_000] });
    await expect(restoreDatabase({ target, file })).rejects.toMatchObject({ code: "schema_newer" });
    await expectUntouched(target);
  });

  it("[BACKUP-3] refuses a database with rows, with a newer schema, or with a broker", async () => {
    const source = await makeMerkleDatabase(current);
    await fill(source);
    await backupDatabase({ target: source, file });
    const before = await readAll(source);
    await expect(restoreDatabase({ target: source, file })).rejects.toMatchObject({
      code: "target_not_empty",
      message: expect.stringContaining("has rows. Nothing was restored"),
    });
    expect(await readAll(source)).toEqual(before);

    const target = await makeMerkleDatabase(current);
    const broker = await openDatabase({ target });
    await expect(restoreDatabase({ target, file })).rejects.toMatchObject({ code: "target_in_use" });
    await broker.close();
    const older = join(folder, "older");
    await forgeManifest(file, older, { migrations: [] });
    await expect(restoreDatabase({ target, file: older })).rejects.toMatchObject({ code: "target_newer" });
  });

  it("[BACKUP-3] that fails at the last row changes nothing, and says what the database said", {
    tags: "long",
  }, async () => {
    const source = await makeMerkleDatabase(current);
    await fill(source);
    await query(source, async (sql) => {
      await sql`ALTER TABLE teams DROP CONSTRAINT teams_session_id_fkey`;
      await sql`INSERT INTO teams VALUES (${randomUUID()}, ${randomUUID()}, 'Stray', 'agent', sha256(''), now())`;
    });
    await backupDatabase({ target: source, file });
    const target = await makeDatabase(current);
    await expect(restoreDatabase({ target, file })).rejects.toMatchObject({
      code: "refused_by_database",
      message: expect.stringContaining("teams_session_id_fkey"),
    });
    await expectUntouched(target);
  });

  it("[BACKUP-3] that loses its connection between two statements ends, and changes nothing", async () => {
    const target = await makeDatabase(current);
    const restoring = withRestore(target, async (sql) => {
      await sql`CREATE TABLE half (id int)`;
      await query(current.connection, (admin) => terminate(admin, target));
      // Runs without delays, so that all these statements are sent before any timer fires after the
      // connection is lost.
      for (let tries = 0; tries < 3; tries += 1) await sql`SELECT 1`.catch(() => undefined);
      await sql`SELECT 1`;
    });
    await expect(restoring).rejects.toSatisfy(isConnectionLost);
    await expectUntouched(target);
  });

  it("[BACKUP-3] that loses its connection changes nothing, and a backup that does leaves nothing", {
    tags: "long",
  }, async () => {
    const source = await makeMerkleDatabase(current);
    await addMessages(source, 8_000);
    const target = await makeDatabase(current);
    const admin = connectPool(current.connection, 1);
    onTestFinished(() => admin.end({ timeout: 5 }));
    // Opens the admin connection in advance, so that it can cut the other connection while there is still
    // data to read or write.
    await admin`SELECT 1`;
    const disconnect = (database: TestDatabase) => {
      const once = { done: false };
      return ({ step, done }: BackupProgress) => {
        if (step === "check" || done < 1_000 || once.done) return;
        once.done = true;
        void terminate(admin, database);
      };
    };
    await expect(
      backupDatabase({ target: source, file, onProgress: disconnect(source) }),
    ).rejects.toMatchObject({ code: "connection_failed" });
    expect(await readdir(folder)).toEqual([]);
    await backupDatabase({ target: source, file });
    await expect(restoreDatabase({ target, file, onProgress: disconnect(target) })).rejects.toMatchObject({
      code: "connection_failed",
      message: expect.stringContaining("Nothing was restored"),
    });
    await expectUntouched(target);
  });

  it("[BACKUP-3] that is ended changes nothing", async () => {
    const source = await makeMerkleDatabase(current);
    await fill(source);
    await backupDatabase({ target: source, file });
    const target = await makeDatabase(current);
    const controller = new AbortController();
    const onProgress = () => controller.abort();
    await expect(
      restoreDatabase({ target, file, onProgress, signal: controller.signal }),
    ).rejects.toMatchObject({ name: "AbortError" });
    await expectUntouched(target);
  });

  it("[BACKUP-4] goes from PostgreSQL 15 to the current one, and back", {
    tags: ["long", "postgres15"],
  }, async () => {
    const home = await makeTestHome();
    onTestFinished(home.remove);
    const oldest = await home.start({ binaries: findOldestBinaries() ?? "" });
    for (const [from, to] of [
      [oldest, current],
      [current, oldest],
    ] as const) {
      const source = await makeMerkleDatabase(from);
      const { sessionId } = await fill(source);
      await backupDatabase({ target: source, file, overwrite: true });
      const target = await makeDatabase(to);
      await restoreDatabase({ target, file });
      await expectSame(source, target);
      expect(await append(target, sessionId, ["next"])).toEqual([4]);
    }
  });

  const counts = readKnownMigrations().map((_, index) => index + 1);
  it.each(isExhaustive ? counts : [1, ...counts.slice(-2)])(
    "[BACKUP-4] takes a backup of a schema with %i migration(s), and the next start runs the others",
    async (count) => {
      const migrations = readKnownMigrations().slice(0, count);
      const source = await makeDatabase(current);
      await withRestore(source, async (sql) => {
        await migrateTo(sql, migrations);
        await sql`INSERT INTO settings (key, value) VALUES ('epoch', '"before"')`;
      });
      await backupDatabase({ target: source, file });
      const target = await makeDatabase(current);
      expect(await restoreDatabase({ target, file })).toMatchObject({ migrations, previousEpoch: "before" });
      const db = await openDatabase({ target });
      await db.close();
      expect(db.migrationsRun).toBe(readKnownMigrations().length - count);
    },
  );
});

/** Ends all connections to the database, and resolves once they have ended. */
async function terminate(sql: postgres.Sql, { database }: TestDatabase): Promise<void> {
  await sql`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = ${database}`;
}

/**
 * Expects both databases to be equal, except for the epoch, which is new after a restore, and the marks that
 * a restore sets (BACKUP-5).
 */
async function expectSame(source: TestDatabase, target: TestDatabase): Promise<void> {
  const withoutEpoch = async (database: TestDatabase) => {
    const { settings = [], peers = [], ...others } = await readAll(database);
    return {
      ...others,
      peers: peers.map((row) => row.replace(/,[tf]((?:,[^,]*){3},\d+(?:,[^,]*){3}\))$/, "$1")),
      settings: settings.filter((row) => !/^\((epoch|restored),/.test(row)),
    };
  };
  expect(await withoutEpoch(target)).toEqual(await withoutEpoch(source));
}

async function expectUntouched(target: TestDatabase): Promise<void> {
  expect(await readAll(target)).toEqual({});
  const schemas = await query(
    target,
    (sql) => sql`SELECT nspname FROM pg_namespace WHERE nspname = 'merkle_migrations'`,
  );
  expect(schemas).toEqual([]);
}
