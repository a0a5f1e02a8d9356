import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { buildNumber } from "@merkle/wire";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type postgres from "postgres";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeRow } from "../../../../tests/kit/message-row.js";
import { createOldDatabase, fillTables, readRows, type TestRow } from "../../../../tests/kit/old-database.js";
import { connectTestDatabase, createTestDatabase } from "../../../../tests/kit/test-database.js";
import { migrateTo } from "../backup/migrate-to.js";
import { withRestore } from "../backup/transaction.js";
import { migrate } from "../core/migrate.js";
import {
  migrationLock,
  migrationsFolder,
  readCompatibleBuild,
  readKnownMigrations,
  readPendingMigrations,
  readSqlFunctions,
} from "../core/migrations.js";
import { listPeers } from "../sessions/peers.js";
import { findSession } from "../sessions/sessions.js";
import { openDatabase } from "./open-database.js";

it("[DB-11] a database from before persons keeps its teams and messages, and knows what was said last", async () => {
  const url = await createOldDatabase(1);
  const sql = connectTestDatabase(url);
  const [mesh, said, silent, team, peer] = Array.from({ length: 5 }, () => randomUUID());
  if (!mesh || !said || !silent || !team || !peer) throw new TypeError("Five uuids were made.");
  await sql`INSERT INTO meshes (mesh_id, name) VALUES (${mesh}, 'main')`;
  for (const session of [said, silent]) {
    await sql`INSERT INTO sessions VALUES (${session}, ${mesh}, ${session}, 'Old', '', ${team}, '{}', now(), now())`;
    await sql`INSERT INTO feeds (session_id) VALUES (${session})`;
    await sql`INSERT INTO documents (session_id, updated_at) VALUES (${session}, now())`;
  }
  await sql`INSERT INTO teams VALUES (${said}, ${team}, 'Birch', 'agent', sha256('secret'), now())`;
  await sql`INSERT INTO peers (session_id, peer_id, team_id) VALUES (${said}, ${peer}, ${team})`;
  const event = { type: "system", team_id: null, author_team: null } as const;
  for (const row of [
    makeRow(said),
    makeRow(said, { author_team: "Birch" }),
    makeRow(said, event),
    makeRow(silent, event),
  ]) {
    await sql`SELECT append_messages(${JSON.stringify([row])}::text::json, true)`;
  }

  const db = await openDatabase({ target: url });
  onTestFinished(db.close);
  expect(db.migrationsRun).toBe(readMigrationFiles({ migrationsFolder }).length - 1);
  expect(db.meshId).toBe(mesh);
  const session = await findSession(db.orm, mesh, said);
  expect(session).toMatchObject({ lastSequence: 3, lastSaidBy: "Birch" });
  const [message] = await sql`SELECT posted_at FROM messages WHERE session_id = ${said} AND sequence = 2`;
  expect(session?.lastSaidAt).toEqual(message?.["posted_at"]);
  expect(await findSession(db.orm, mesh, silent)).toMatchObject({
    lastSequence: 1,
    lastSaidAt: null,
    lastSaidBy: null,
    lastSaidText: null,
  });
  expect(await listPeers(db.orm, mesh, said)).toMatchObject([
    { team: "Birch", name: null, personId: null, personLastRead: null },
  ]);
});

it("[DB-32] a database of every schema that there was keeps every row of every table", async () => {
  const url = await createOldDatabase(1);
  const sql = connectTestDatabase(url);
  const lost: string[] = [];
  let before: TestRow[] = [];
  for (const [index, name] of readPendingMigrations([]).entries()) {
    await withRestore(url, (tx) => migrateTo(tx, readKnownMigrations().slice(0, index + 1)));
    const now = await readRows(sql);
    lost.push(
      ...before
        .filter((row) => !now.some((each) => isSame(row, each)))
        .map(({ table }) => `${name}: ${table}`),
    );
    await fillTables(sql);
    before = await readRows(sql);
  }
  expect(lost).toEqual([]);
  await migrate(url);
  expect(await readRows(sql)).toEqual(before);
});

/** Returns true if a row equals its earlier version in every column that still exists. */
function isSame(earlier: TestRow, row: TestRow): boolean {
  const names = Object.keys(earlier.columns).filter((name) => name in row.columns);
  return (
    row.table === earlier.table &&
    names.every((name) => isDeepStrictEqual(row.columns[name], earlier.columns[name]))
  );
}

it("[DB-31] a dry run tries each migration and leaves everything as it was; a backup comes before the first", async () => {
  const url = await createOldDatabase(3);
  const names = readPendingMigrations(readKnownMigrations().slice(0, 3));
  const told: (readonly string[])[] = [];
  const beforeMigrating = async (each: readonly string[]) => told.push(each);
  expect(await migrate(url, { dryRun: true, beforeMigrating })).toBe(names.length);
  await expectOld(url, 3);
  const refused = migrate(url, { beforeMigrating: () => Promise.reject(new Error("no room")) });
  await expect(refused).rejects.toThrow("no room");
  await expectOld(url, 3);
  expect(await migrate(url, { beforeMigrating })).toBe(names.length);
  expect(await migrate(url, { beforeMigrating })).toBe(0);
  expect(told).toEqual([names, names]);
});

it("[PERSON-10] of the persons of before, members' stay human and others are guests; their teams and names stay", async () => {
  const url = await createOldDatabase(23);
  const sql = connectTestDatabase(url);
  const [mesh, member, session] = [randomUUID(), randomUUID(), randomUUID()];
  await sql`INSERT INTO meshes (mesh_id, name) VALUES (${mesh}, 'main')`;
  await sql`INSERT INTO members (mesh_id, member_id, public_key, name, role, joined_at)
    VALUES (${mesh}, ${member}, sha256('key'), 'Ana', 'admin', now())`;
  await sql`INSERT INTO sessions (session_id, mesh_id, slug, title, description, created_by_team_id, settings, created_at, updated_at)
    VALUES (${session}, ${mesh}, 'old', 'Old', '', ${randomUUID()}, '{}', now(), now())`;
  for (const [name, of, colour] of [
    ["Ana", member, 0],
    ["Ben", null, 1],
  ] as const) {
    const person = randomUUID();
    await sql`INSERT INTO persons (mesh_id, person_id, name, secret_hash, member_id, created_at)
      VALUES (${mesh}, ${person}, ${name}, sha256(${name}::bytea), ${of}, now())`;
    await sql`INSERT INTO teams (session_id, team_id, name, kind, person_id, member_id, colour, joined_at)
      VALUES (${session}, ${randomUUID()}, ${name}, 'human', ${person}, ${of}, ${colour}, now())`;
  }

  expect(await migrate(url)).toBe(readKnownMigrations().length - 23);
  expect([...(await sql`SELECT name, kind FROM teams ORDER BY name`)]).toEqual([
    { name: "Ana", kind: "human" },
    { name: "Ben", kind: "guest" },
  ]);
  expect([...(await sql`SELECT name, verified_at FROM persons ORDER BY name`)]).toEqual([
    { name: "Ana", verified_at: null },
    { name: "Ben", verified_at: null },
  ]);
});

describe("SQL functions", () => {
  const readFunctions = async (sql: postgres.Sql) => [
    ...(await sql`
      SELECT p.proname AS name, pg_get_functiondef(p.oid) AS definition FROM pg_proc p
      WHERE p.pronamespace = 'public'::regnamespace ORDER BY p.oid::regprocedure::text`),
  ];
  const readApplied = async (sql: postgres.Sql) => [
    ...(await sql`SELECT name, build FROM merkle_migrations.functions ORDER BY name`),
  ];

  it("[DB-11] a new database, one of before and one restored to before end with the same functions, each of a file of its name", async () => {
    const made = connectTestDatabase(await createTestDatabase());
    const functions = await readFunctions(made);
    expect(functions.map(({ name }) => name).sort()).toEqual(readSqlFunctions().map(({ name }) => name));
    for (const migrations of [1, readKnownMigrations().length]) {
      const url = await createOldDatabase(migrations);
      const sql = connectTestDatabase(url);
      // The previous version of Merkle did not record its SQL functions.
      await sql`DROP TABLE merkle_migrations.functions, merkle_migrations.compatibility`;
      expect(await migrate(url)).toBe(readKnownMigrations().length - migrations);
      expect(await readFunctions(sql)).toEqual(functions);
    }
  });

  it("[DB-11] a changed text is applied by a build that is no older than the last that applied it", async () => {
    const url = await createTestDatabase();
    const sql = connectTestDatabase(url);
    const functions = await readFunctions(sql);
    await sql`CREATE OR REPLACE FUNCTION words_of(VARIADIC parts text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN ''`;
    await sql`UPDATE merkle_migrations.functions SET hash = 'another', build = 10 WHERE name = 'words_of'`;
    await migrate(url, { build: 9 });
    expect(await readFunctions(sql)).not.toEqual(functions);
    await migrate(url, { build: 10 });
    expect(await readFunctions(sql)).toEqual(functions);
    expect(await readApplied(sql)).toContainEqual({ name: "words_of", build: 10 });
    const [before] = await sql`SELECT xmin FROM pg_proc WHERE proname = 'words_of'`;
    await migrate(url, { build: 11 });
    expect((await sql`SELECT xmin FROM pg_proc WHERE proname = 'words_of'`)[0]).toEqual(before);
  });

  it("[BUILD-5] an older build starts on a newer schema, unless the schema requires a newer build: then it says so and changes nothing", async () => {
    const url = await createTestDatabase();
    const sql = connectTestDatabase(url);
    await sql`INSERT INTO merkle_migrations.__drizzle_migrations (hash, created_at) VALUES ('later', 9999999999999)`;
    expect(await migrate(url, { build: 9 })).toBe(0);
    await sql`UPDATE merkle_migrations.compatibility SET compatible_build = 10`;
    await sql`UPDATE merkle_migrations.functions SET hash = 'another'`;
    const applied = await readApplied(sql);
    for (const build of [9, 1])
      await expect(migrate(url, { build })).rejects.toMatchObject({
        code: "schema_newer",
        message: expect.stringMatching(
          new RegExp(
            `^The database was written by a newer Merkle: its schema requires build 10 or later, and this is build ${build} `,
          ),
        ),
      });
    expect(await readApplied(sql)).toEqual(applied);
    for (const build of [10, 11]) expect(await migrate(url, { build })).toBe(0);
  });

  it("[BUILD-5] this build can work on the schema that it makes, and builds without a number refuse it", async () => {
    const sql = connectTestDatabase(await createTestDatabase());
    expect(await readCompatibleBuild(sql)).toBeGreaterThan(0);
    expect(await readCompatibleBuild(sql)).toBeLessThanOrEqual(buildNumber);
    // Builds from before there were build numbers compare Merkle's version with this value.
    const [row] = await sql`SELECT compatible_from FROM merkle_migrations.compatibility`;
    const [theirs, required] = ["0.1.0", String(row?.["compatible_from"])].map((each) =>
      each.split(/[.-]/, 3).map(Number),
    );
    expect(required?.[2]).toBeGreaterThan(theirs?.[2] ?? Number.NaN);
  });
});

describe("a migration whose connection is lost", () => {
  it("[DB-16] fails clearly while it waits for another broker", async () => {
    const url = await createOldDatabase(1);
    const other = connectTestDatabase(url);
    const sql = connectTestDatabase(url);
    await other.begin(async (tx) => {
      await tx`SELECT pg_advisory_xact_lock(${migrationLock})`;
      const opening = openDatabase({ target: url });
      await Promise.all([expectLost(opening), terminateWaiting(sql, "advisory")]);
    });
    await expectOld(url, 1);
  });

  it("[DB-16] fails clearly in its midst, leaves everything as it was, and does nothing without the lock", async () => {
    const url = await createOldDatabase(1);
    const other = connectTestDatabase(url);
    const sql = connectTestDatabase(url);
    await other.begin(async (tx) => {
      await tx`LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE`;
      const opening = openDatabase({ target: url });
      await Promise.all([expectLost(opening), terminateWaiting(sql, "relation")]);
    });
    await expectOld(url, 1);
    const db = await openDatabase({ target: url });
    onTestFinished(db.close);
    expect(db.migrationsRun).toBe(readKnownMigrations().length - 1);
  });
});

it("[DB-16] a migration that is kept waiting too long says so, and leaves everything as it was", async () => {
  const url = await createOldDatabase(1);
  const other = connectTestDatabase(url);
  for (const lock of [`SELECT pg_advisory_xact_lock(${migrationLock})`, "LOCK TABLE sessions"]) {
    await other.begin(async (tx) => {
      await tx.unsafe(lock);
      await expect(migrate(url, { lockMs: 50 })).rejects.toMatchObject({
        name: "DatabaseError",
        code: "migration_failed",
        message: expect.stringContaining("locked it for 0.05 s"),
      });
    });
    await expectOld(url, 1);
  }
});

async function expectLost(opening: Promise<unknown>): Promise<void> {
  await expect(opening).rejects.toMatchObject({
    name: "DatabaseError",
    code: "migration_failed",
    message: expect.stringContaining("was lost"),
  });
}

/** Terminates the connection that runs the migration as soon as it waits for a lock of this kind. */
async function terminateWaiting(sql: postgres.Sql, kind: "advisory" | "relation"): Promise<void> {
  await expect
    .poll(
      () => sql`
        SELECT pg_terminate_backend(pid, 10000) AS ended FROM pg_locks
        WHERE locktype = ${kind} AND NOT granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    )
    .toEqual([{ ended: true }]);
}

/** Expects that nothing is running on the database, and that it still has the given number of migrations. */
async function expectOld(url: string, migrations: number): Promise<void> {
  const sql = connectTestDatabase(url);
  const backends = () => sql`
    SELECT query FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'merkle'`;
  await expect.poll(backends).toEqual([]);
  expect(await sql`SELECT FROM merkle_migrations.__drizzle_migrations`).toHaveLength(migrations);
}

it("[DB-15] a team is proved by its own secret or by its person, by one of them, and a person is one team in a session", async () => {
  const sql = connectTestDatabase(await createTestDatabase());
  const [mesh, session, person] = Array.from({ length: 3 }, () => randomUUID());
  if (!mesh || !session || !person) throw new TypeError("Three uuids were made.");
  await sql`INSERT INTO meshes (mesh_id, name) VALUES (${mesh}, 'main')`;
  await sql`INSERT INTO sessions VALUES (${session}, ${mesh}, 'oak', 'Oak', '', ${randomUUID()}, '{}', now(), now())`;
  const insert = (name: string, kind: string, secret: string | null, personId: string | null) => sql`
    INSERT INTO teams (session_id, team_id, name, kind, secret_hash, person_id, joined_at)
    VALUES (${session}, ${randomUUID()}, ${name}, ${kind}, sha256(${secret}::bytea), ${personId}, now())`;
  await expect(insert("neither", "human", null, null)).rejects.toThrow("teams_are_proved_one_way");
  await expect(insert("both", "human", "secret", person)).rejects.toThrow("teams_are_proved_one_way");
  await expect(insert("no human", "agent", null, person)).rejects.toThrow("teams_of_persons_are_human");
  await insert("Ana", "human", null, person);
  await expect(insert("Ana (2)", "human", null, person)).rejects.toThrow("teams_by_person");
});

it("[TOKEN-9] [MEMBER-5] rows of before inherit from the token that they were made with, else from their member", async () => {
  const url = await createOldDatabase(37);
  const sql = connectTestDatabase(url);
  const mesh = randomUUID();
  await sql`INSERT INTO meshes (mesh_id, name) VALUES (${mesh}, 'main')`;
  const ids = new Map<string, string>();
  async function addMember(name: string, invite: number | null): Promise<string> {
    const id = randomUUID();
    ids.set(name, id);
    await sql`INSERT INTO members (mesh_id, member_id, public_key, name, role, invite, joined_at)
      VALUES (${mesh}, ${id}, sha256(${name}::bytea), ${name}, 'member', ${invite}, now())`;
    return id;
  }
  const addToken = (number: number, kind: string, of: string, parent: number | null, ended = false) =>
    sql`INSERT INTO tokens (mesh_id, number, kind, secret_hash, member_id, parent, created_by, created_at, expires_at, revoked_at)
      VALUES (${mesh}, ${number}, ${kind}, sha256(${String(number)}::bytea), ${of}, ${parent}, ${of}, now(),
        now() + interval '1 day', ${ended ? new Date() : null})`;
  const addInvite = (number: number, by: string | null, parent: number | null) =>
    sql`INSERT INTO invites (mesh_id, number, secret_hash, role, invited_by, inviter, parent, created_at, expires_at, uses_max)
      VALUES (${mesh}, ${number}, sha256(${`invite ${number}`}::bytea), 'member', ${by}, 'x', ${parent}, now(), now(), 9)`;

  await addInvite(1, null, null);
  const ana = await addMember("Ana", 1);
  await addToken(1, "browser", ana, null);
  await addToken(2, "bearer", ana, 1);
  await addToken(3, "browser", ana, 2);
  await addToken(4, "bearer", ana, 1, true);
  await addToken(6, "bearer", ana, null);
  for (const [number, parent] of [
    [2, 1],
    [3, 3],
    [4, 4],
  ] as const)
    await addInvite(number, ana, parent);
  await addMember("By her browser", 2);
  const mallory = await addMember("By her program", 3);
  await addMember("By one that has ended", 4);
  await addMember("By a forgotten invite", 99);
  await addMember("Maker of a mesh", null);
  await addInvite(5, mallory, null);
  await addMember("By Mallory's key", 5);
  await addToken(5, "browser", mallory, null);
  await migrate(url);

  const names = new Map([...ids].map(([name, id]) => [id, name]));
  const members = await sql`SELECT name, vouched_by, program FROM members`;
  expect(
    Object.fromEntries(members.map((row) => [row["name"], [names.get(row["vouched_by"]), row["program"]]])),
  ).toEqual({
    Ana: ["Ana", null],
    "By her browser": ["Ana", null],
    "By her program": ["Ana", 2],
    "By one that has ended": [undefined, null],
    "By a forgotten invite": [undefined, null],
    "Maker of a mesh": ["Maker of a mesh", null],
    "By Mallory's key": ["By her program", 2],
  });
  const programs = async (rows: PromiseLike<readonly Record<string, unknown>[]>) =>
    (await rows).map((row) => row["program"]);
  expect(await programs(sql`SELECT program FROM tokens ORDER BY number`)).toEqual([null, 2, 2, 4, 2, null]);
  expect(await programs(sql`SELECT program FROM invites ORDER BY number`)).toEqual([null, null, 2, 4, 2]);
});
