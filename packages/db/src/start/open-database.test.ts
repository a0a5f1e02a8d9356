import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readlink, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { eq, sql } from "drizzle-orm";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { makeRow } from "../../../../tests/kit/message-row.js";
import { connectTestDatabase, createTestDatabase } from "../../../../tests/kit/test-database.js";
import { connectPool } from "../core/connection.js";
import { DatabaseError } from "../core/database-error.js";
import { readKnownMigrations } from "../core/migrations.js";
import * as schema from "../core/schema.js";
import type { Transaction } from "../core/transactions.js";
import { findOldestBinaries, makeTestHome } from "../embedded/test-support.js";
import { appendInTransaction } from "../feed/append-messages.js";
import { acquireNodeLock } from "./node-lock.js";
import { openDatabase, scopeToMesh } from "./open-database.js";

async function openTest(target: string) {
  const database = await openDatabase({ target });
  onTestFinished(database.close);
  return database;
}

async function failureOf(target: string): Promise<DatabaseError> {
  const failure = await openDatabase({ target }).then(
    async (database) => {
      await database.close();
      throw new Error("It should not have opened.");
    },
    (error: unknown) => error,
  );
  if (!(failure instanceof DatabaseError)) throw failure;
  return failure;
}

describe("opening a database", () => {
  it("[DB-11] of several that open an empty database at once, one migrates and all go on", async () => {
    const { serverUrl } = inject("postgres");
    const url = await createTestDatabase();
    const admin = connectTestDatabase(`${serverUrl}/postgres`);
    const name = new URL(url).pathname.slice(1);
    await admin.unsafe(`DROP DATABASE ${name}`);
    await admin.unsafe(`CREATE DATABASE ${name}`);
    const opened = await Promise.all(Array.from({ length: 4 }, () => openTest(url)));
    expect(opened.map((each) => each.migrationsRun).sort()).toEqual([0, 0, 0, readKnownMigrations().length]);
    expect(new Set(opened.map((each) => each.epoch)).size).toBe(1);
    expect(new Set(opened.map((each) => each.meshId)).size).toBe(1);
  });

  it("[DB-12] the epoch stays when it is opened again", async () => {
    const url = await createTestDatabase();
    const { epoch } = await openTest(url);
    expect((await openTest(url)).epoch).toBe(epoch);
  });

  it("[DB-10] every connection is told what is promised, whatever the database's own defaults are", async () => {
    const url = await createTestDatabase();
    const sql = connectTestDatabase(url);
    const name = new URL(url).pathname.slice(1);
    for (const setting of [
      "synchronous_commit = off",
      "default_transaction_isolation = 'serializable'",
      "timezone = 'Asia/Tokyo'",
    ]) {
      await sql.unsafe(`ALTER DATABASE ${name} SET ${setting}`);
    }
    const pool = connectPool(url, 1);
    onTestFinished(() => pool.end());
    const read = async (setting: string) =>
      (await pool`SELECT current_setting(${setting}) AS value`)[0]?.["value"];
    expect(await read("synchronous_commit")).toBe("on");
    expect(await read("default_transaction_isolation")).toBe("read committed");
    expect(await read("timezone")).toBe("UTC");
    expect(await read("statement_timeout")).toBe("5s");
    expect(await read("lock_timeout")).toBe("2s");
    expect(await read("idle_in_transaction_session_timeout")).toBe("10s");
  });

  it("[DB-13] every table's key begins with session_id, mesh_id, or what is one of the two, but those of the broker itself", async () => {
    const sql = connectTestDatabase(await createTestDatabase());
    const rows = await sql`
      SELECT c.relname AS name, a.attname AS first FROM pg_index i
      JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
      WHERE i.indisprimary AND n.nspname = 'public'`;
    const keys = new Map(rows.map((row) => [row["name"], row["first"]]));
    expect(keys.size).toBeGreaterThan(10);
    for (const ofBroker of ["settings", "audit_keys", "verification_codes", "nodes", "nudges"])
      keys.delete(ofBroker);
    for (const [name, first] of keys)
      expect([name, first]).toEqual([name, expect.stringMatching(/^(session|mesh|scope)_id$/)]);
  });

  it("[FEED-1] a message can be neither changed nor deleted, and redacted once, with the hash of what it said", async () => {
    const sql = connectTestDatabase(await createTestDatabase());
    const session = randomUUID();
    await sql`INSERT INTO feeds (session_id) VALUES (${session})`;
    const rows = [
      makeRow(session, { content: '{"text":"the password is 1234"}' }),
      makeRow(session, { content: '{"kind":"ask","text":"Which?"}', kind: "ask" }),
      makeRow(session, {
        type: "system",
        team_id: null,
        author_team: null,
        content: '{"event":"team_left"}',
        kind: "team_left",
      }),
      makeRow(session, { content: `{"private":true,"sealed":"mks1.card.nonce.${"a".repeat(31)}"}` }),
    ];
    await sql`SELECT append_messages(${JSON.stringify(rows)}::text::json, true)`;
    await expect(sql`DELETE FROM messages`).rejects.toThrow("append-only");
    await expect(sql`TRUNCATE messages`).rejects.toThrow("append-only");
    await expect(sql`UPDATE messages SET content = ''`).rejects.toThrow("append-only");
    await expect(sql`UPDATE messages SET salt = NULL, content_hash = sha256('')`).rejects.toThrow(
      "append-only",
    );
    const redact = (further = "") =>
      sql.unsafe(`UPDATE messages SET content = redacted_content(type, kind, content), salt = NULL,
        content_hash = sha256(salt || convert_to(content, 'UTF8')) ${further} RETURNING content`);
    await expect(redact(", author_team = 'Somebody else'")).rejects.toThrow("append-only");
    expect(await redact()).toEqual([
      { content: '{"redacted":true}' },
      { content: '{"kind":"ask","redacted":true}' },
      { content: '{"event":"team_left","redacted":true}' },
      { content: '{"bytes":23,"private":true,"redacted":true}' },
    ]);
    await expect(redact()).rejects.toThrow("append-only");
    const hashes = await sql`SELECT encode(content_hash, 'hex') AS hash FROM messages ORDER BY sequence`;
    expect(hashes.map(({ hash }) => hash)).toEqual(
      rows.map(({ salt, content }) =>
        createHash("sha256").update(Buffer.from(salt, "hex")).update(content).digest("hex"),
      ),
    );
  });
});

describe("a database that cannot be used", () => {
  it("[DB-9] nobody answers: says where, and what to do, without the password", async () => {
    const server = createServer().listen(0);
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    await new Promise((resolve) => server.close(resolve));
    const failure = await failureOf(`postgres://merkle:secret@127.0.0.1:${port}/merkle`);
    expect(failure).toMatchObject({ code: "unreachable" });
    expect(failure.message).toContain(`127.0.0.1:${port}/merkle`);
    expect(failure.message).toContain("DATABASE_URL");
    expect(failure.message).not.toContain("secret");
  });

  it("[DB-9] a wrong password, database or address is told", async () => {
    const { serverUrl } = inject("postgres");
    expect(await failureOf(`${serverUrl}/no_such_database`)).toMatchObject({ code: "refused" });
    const wrong = new URL(serverUrl);
    wrong.password = "wrong";
    wrong.pathname = "/postgres";
    expect(await failureOf(wrong.href)).toMatchObject({ code: "refused" });
    expect(await failureOf("not a url")).toMatchObject({ code: "unreachable" });
  });

  it("[DB-9] a schema that is for newer versions alone is left alone", async () => {
    const url = await createTestDatabase();
    const sql = connectTestDatabase(url);
    await sql`UPDATE merkle_migrations.compatibility SET compatible_build = 1000`;
    const failure = await failureOf(url);
    expect(failure).toMatchObject({ code: "schema_newer", message: expect.stringContaining("newer Merkle") });
  });

  it("[DB-9] a read-only database is told", async () => {
    const url = await createTestDatabase();
    const sql = connectTestDatabase(url);
    await sql.unsafe(
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`,
    );
    expect(await failureOf(url)).toMatchObject({ code: "read_only" });
  });

  it("[DB-9] fsync = off is refused, since a power cut would lose what was acknowledged", {
    tags: "long",
  }, async () => {
    const home = await makeTestHome();
    onTestFinished(home.remove);
    const careful = await home.start({ reach: "tcp" });
    const { host, port, user, database, password = "" } = careful.connection;
    const program = await readlink(`/proc/${careful.pid}/exe`);
    await careful.stop();
    const { uid, gid } = await stat(careful.dataDirectory);
    const options = ["fsync=off", "listen_addresses=127.0.0.1", `port=${port}`, "unix_socket_directories="];
    const careless = spawn(
      program,
      ["-D", careful.dataDirectory, ...options.flatMap((option) => ["-c", option])],
      {
        uid,
        gid,
        cwd: careful.dataDirectory,
        stdio: "ignore",
      },
    );
    onTestFinished(async () => {
      const ended = once(careless, "exit");
      careless.kill("SIGQUIT");
      await ended;
    });
    const url = `postgres://${user}:${password}@${host}:${port}/${database}`;
    await expect.poll(() => failureOf(url)).toMatchObject({ code: "fsync_off" });
  });
});

describe("one node on a database", () => {
  it("[DB-5] a second node is told, and can come when the first has gone", async () => {
    const url = await createTestDatabase();
    const first = await acquireNodeLock(url);
    expect(await acquireNodeLock(url)).toBeNull();
    const sql = connectTestDatabase(url);
    // Terminates the connection that holds the lock, so that the server releases the lock. The node then
    // tries to take it again.
    await sql`SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await first?.check();
    await first?.waitUntilHeld();
    expect(await acquireNodeLock(url)).toBeNull();
    await first?.release();
    const second = await acquireNodeLock(url);
    expect(second).not.toBeNull();
    await second?.release();
  });
});

describe("connections that end", () => {
  it("[DB-37] what a caller took from a database before still asks it afterwards, and reads times as before", async () => {
    const url = await createTestDatabase();
    const database = await openTest(url);
    const held = [database.orm, scopeToMesh(database, randomUUID()).orm];
    const readEach = () =>
      Promise.all(
        held.map((orm) => orm.execute("SELECT pg_backend_pid() AS pid, '2026-01-02'::date AS day")),
      );
    const sql = connectTestDatabase(url);
    const pids = (await readEach()).map(([row]) => Number(row?.["pid"]));
    expect(
      await sql`SELECT pg_terminate_backend(pid, 10000) FROM unnest(${pids}::int[]) pid`,
    ).not.toHaveLength(0);
    const rows = (await readEach()).map(([row]) => row);
    for (const row of rows) {
      expect(pids).not.toContain(row?.["pid"]);
      expect(row?.["day"]).toBe("2026-01-02");
    }
  });
});

describe("a transaction", () => {
  it("[FEED-7] whose connection is lost fails, and neither ends the process nor goes on outside of it", async () => {
    const url = await createTestDatabase();
    const database = await openTest(url);
    const sql = connectTestDatabase(url);
    const work = database.transaction(async (tx) => {
      const [row] = await tx.execute<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      await sql`SELECT pg_terminate_backend(${row?.pid ?? 0})`;
      // Waits until this client has noticed the loss of its connection, and then tries to write more.
      await tx.execute("SELECT 1").catch(() => undefined);
      await tx.insert(schema.settings).values({ key: "outside", value: 1 });
    });
    await expect(work).rejects.toThrow();
    expect(await sql`SELECT FROM settings WHERE key = 'outside'`).toHaveLength(0);
    await database.transaction((tx) => tx.insert(schema.settings).values({ key: "after", value: 1 }));
    expect(await sql`SELECT FROM settings WHERE key = 'after'`).toHaveLength(1);
  });

  it("[DB-40] whose connection is lost sends nothing that waited behind the statement under way", async () => {
    const url = await createTestDatabase();
    const database = await openTest(url);
    const sql = connectTestDatabase(url);
    const holder = await sql.reserve();
    await holder`BEGIN`;
    await holder`SELECT FROM settings WHERE key = 'epoch' FOR UPDATE`;
    const { settings } = schema;
    const outcomes = database
      .transaction((tx) =>
        Promise.allSettled([
          tx.update(settings).set({ value: 1 }).where(eq(settings.key, "epoch")),
          tx.insert(settings).values({ key: "outside", value: 1 }),
          tx.insert(settings).values({ key: "outside as well", value: 1 }),
        ]).then((settled) => Promise.reject(settled)),
      )
      .catch((settled: unknown) => settled);
    const endWaiting = () => sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await expect.poll(endWaiting).toHaveLength(1);
    expect(await outcomes).toMatchObject(Array(3).fill({ status: "rejected" }));
    await holder`ROLLBACK`;
    holder.release();
    expect(await sql`SELECT FROM settings WHERE key LIKE 'outside%'`).toHaveLength(0);
  });

  it("[IDEM-1] leaves nothing behind when its last statement fails, and none of its queries goes on after it", async () => {
    const database = await openTest(await createTestDatabase());
    const { settings } = schema;
    let left: Promise<unknown> | undefined;
    const failing = database.transaction(async (tx) => {
      await tx.insert(settings).values({ key: "first", value: 1 });
      const failed = tx.update(settings).set({ value: sql`to_jsonb(1 / 0)` }).execute();
      left = failed
        .catch(() => delay(0))
        .then(() => tx.insert(settings).values({ key: "left over", value: 1 }))
        .catch((error: unknown) => error);
      await failed;
    });
    await expect(failing).rejects.toMatchObject({ cause: { message: "division by zero" } });
    expect(await left).toMatchObject({ cause: { message: expect.stringContaining("has ended") } });
    const keys = (await database.orm.select().from(settings)).map(({ key }) => key);
    expect(keys).not.toContain("first");
    expect(keys).not.toContain("left over");
  });

  it("[IDEM-1] does its statements one by one in order, though they are asked for at once, and commits them together", async () => {
    const database = await openTest(await createTestDatabase());
    const { settings } = schema;
    const isKey = eq(settings.key, "a");
    const multiply = (tx: Transaction, by: number) =>
      tx
        .update(settings)
        .set({ value: sql`to_jsonb(${settings.value}::int * ${by} + 1)` })
        .where(isKey);
    const seen = await database.transaction(async (tx) => {
      await Promise.all([
        tx.insert(settings).values({ key: "a", value: 1 }),
        multiply(tx, 10),
        multiply(tx, 100),
      ]);
      // The transaction's changes are not visible to others yet.
      return database.orm.select().from(settings).where(isKey);
    });
    expect(seen).toEqual([]);
    expect(await database.orm.select().from(settings).where(isKey)).toMatchObject([{ value: 1101 }]);
  });

  it("[DB-11] a query that came before a migration goes on when columns have come and gone", async () => {
    const url = await createTestDatabase();
    const database = await openTest(url);
    const { settings } = schema;
    const count = () =>
      database.orm.select({ key: settings.key }).from(settings).where(eq(settings.key, "epoch"));
    for (let time = 0; time < 30; time += 1) expect(await count()).toHaveLength(1);
    const admin = connectTestDatabase(url);
    await admin.unsafe(
      "ALTER TABLE settings ADD COLUMN later text; ALTER TABLE settings ALTER COLUMN key TYPE varchar(500)",
    );
    for (let time = 0; time < 30; time += 1) expect(await count()).toHaveLength(1);
  });

  it("[FEED-6] more transactions than there are connections wait for each other", async () => {
    const database = await openTest(await createTestDatabase());
    const keys = Array.from({ length: 30 }, (_, i) => `key ${i}`);
    await Promise.all(
      keys.map((key) => database.transaction((tx) => tx.insert(schema.settings).values({ key, value: 1 }))),
    );
    expect((await database.orm.select().from(schema.settings)).length).toBeGreaterThanOrEqual(30);
  });
});

const oldest = findOldestBinaries();

describe("the oldest PostgreSQL", () => {
  it("[DB-14] migrates, appends and serves transactions as the newest does", {
    tags: ["long", "postgres15"],
  }, async () => {
    const home = await makeTestHome();
    onTestFinished(home.remove);
    const server = await home.start({ binaries: oldest ?? "" });
    expect(server.major).toBe(15);
    const database = await openDatabase({ target: server.connection });
    expect(database.serverVersion).toMatch(/^15\./);
    const outcome = await database.transaction((tx) => appendInTransaction(tx, makeRow(database.meshId)));
    expect(outcome).toEqual({ outcome: "missing" });
    await database.close();
  });
});
