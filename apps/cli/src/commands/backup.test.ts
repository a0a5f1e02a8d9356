import { copyFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { restoreDatabase } from "@merkle/db";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { findOldestBinaries, makeTestHome } from "../../../../packages/db/src/embedded/test-support.js";
import { createOldDatabase, fillTables, readRows } from "../../../../tests/kit/old-database.js";
import { startTestBroker } from "../../../../tests/kit/test-broker.js";
import { connectTestDatabase, createTestDatabase } from "../../../../tests/kit/test-database.js";
import { type TestMerkle, testMerkle } from "../test-kit/merkle.js";

async function post(
  url: string,
  path: string,
  body: object,
  teamId?: string,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/api${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(teamId === undefined ? {} : { "X-Team-ID": teamId }) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return { ...((await response.json()) as object) };
}

/** Starts a broker with one session and two messages. Returns the team's credential. */
async function startWithSession(merkle: TestMerkle): Promise<{ url: string; teamId: string }> {
  await merkle.run(["up", "--port", "0", "--detach"]);
  const { url } = await merkle.readRunFile();
  const created = await post(url, "/sessions", { title: "Kept", creator_team_name: "Atlas" });
  const teamId = String(created["team_id"]);
  for (const text of ["one", "two"])
    await post(url, "/sessions/kept/messages", { content: { text } }, teamId);
  return { url, teamId };
}

describe("merkle backup and restore", () => {
  it("[BACKUP-1][BACKUP-2] a backup of a broker that runs fills another home, credentials included", async () => {
    const [old, fresh] = [await testMerkle(), await testMerkle()];
    const { teamId } = await startWithSession(old);
    const file = join(fresh.home, "merkle.backup");
    expect(await old.run(["backup", file])).toMatchObject({
      code: 0,
      stdout: `✓ 1 session, 2 messages in ${file}\n`,
    });
    expect((await old.run(["status"])).code).toBe(0);

    expect(await fresh.run(["restore", file])).toMatchObject({
      code: 0,
      stdout: "✓ restored 1 session, 2 messages; clients will resync\n",
      stderr: expect.stringContaining("copy audit-key.json here"),
    });
    expect(await fresh.run(["up", "--port", "0", "--detach"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Copy audit-key.json from the Merkle home"),
    });
    await copyFile(join(old.home, "audit-key.json"), join(fresh.home, "audit-key.json"));
    await fresh.run(["up", "--port", "0", "--detach"]);
    const { url } = await fresh.readRunFile();
    await post(url, "/sessions/kept/messages", { content: { text: "three" } }, teamId);
    expect(await fresh.run(["restore", file])).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/^✗ Another broker uses/),
    });
  });

  it("[BACKUP-1] works while no broker runs, takes no file that is there, and leaves nothing running", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    await startWithSession(merkle);
    await merkle.run(["down"]);
    const file = join(merkle.home, "merkle.backup");
    expect(JSON.parse((await merkle.run(["backup", "merkle.backup", "--json"])).stdout)).toMatchObject({
      file,
      sessions: 1,
      messages: 2,
    });
    expect(await merkle.run(["backup", file])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("--force"),
    });
    expect((await merkle.run(["backup", file, "--force"])).code).toBe(0);
    expect(await merkle.run(["restore", file])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining("is not empty"),
    });
    expect(await readdir(merkle.home)).not.toContain("broker.lock");
  });

  it("says so when there is nothing to back up, or no such backup, and makes nothing", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    expect(await merkle.run(["backup", "x.backup"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("nothing to back up"),
    });
    expect(await merkle.run(["restore", "x.backup"])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("There is no file"),
    });
    await writeFile(join(merkle.home, "notes.txt"), "no backup");
    expect(await merkle.run(["restore", "notes.txt"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not a Merkle backup"),
    });
    expect(await readdir(merkle.home)).not.toContain("x.backup");
  });
});

describe("merkle upgrade", () => {
  it("[DB-34] a command that is of another version than the broker says which is to be upgraded, and how", {
    tags: "long",
  }, async () => {
    const { url } = await startTestBroker();
    const installed = dirname(dirname(inject("program")));
    const description = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    for (const [version, advice] of [
      ["0.0.1", "upgrade it with merkle upgrade --cli"],
      ["99.0.0", "upgrade the broker on its machine, then merkle down and merkle up"],
    ] as const) {
      const folder = await mkdtemp(join(tmpdir(), "merkle-version-"));
      onTestFinished(() => rm(folder, { recursive: true }));
      await cp(installed, folder, { recursive: true });
      await writeFile(join(folder, "package.json"), JSON.stringify({ ...description, version }));
      const merkle = await testMerkle(onTestFinished, join(folder, "bin/merkle.mjs"));
      const asked = await merkle.run(["new", "Long ".repeat(60)], { env: { MERKLE_URL: url } });
      expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining(advice) });
    }
  });

  it("[DB-31] a dry run says what would run, upgrade backs up before it runs, and the backup is the way back", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    const url = await createOldDatabase(23);
    const sql = connectTestDatabase(url);
    await fillTables(sql);
    const before = await readRows(sql);
    const env = { DATABASE_URL: url };
    const tried = await merkle.run(["upgrade", "--dry-run"], { env });
    expect(tried).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/would run[^\n]+\n {2}0023_verified_persons\n/),
    });
    expect(await readRows(sql)).toEqual(before);

    expect(await merkle.run(["upgrade"], { env })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("to go back"),
    });
    const [name = ""] = await readdir(join(merkle.home, "backups"));
    expect(name).toContain("before-0023_verified_persons");
    expect(await merkle.run(["upgrade"], { env })).toMatchObject({
      code: 0,
      stdout: "✓ the database is up to date\n",
    });

    // Restores into an empty database, as the earlier version would. That version migrates the database to
    // its own schema.
    const back = await createTestDatabase();
    await connectTestDatabase(back).unsafe(
      "DROP SCHEMA public CASCADE; DROP SCHEMA merkle_migrations CASCADE; CREATE SCHEMA public",
    );
    const restored = await merkle.run(["restore", join(merkle.home, "backups", name)], {
      env: { DATABASE_URL: back },
    });
    expect(restored).toMatchObject({ code: 0 });
    const ids = (rows: typeof before) =>
      rows.filter(({ table }) => table === "messages").map(({ columns }) => columns["message_id"]);
    expect(ids(await readRows(connectTestDatabase(back)))).toEqual(ids(before));
  });

  it("[DB-31] up backs up before it migrates, and says where", { tags: "long" }, async () => {
    const merkle = await testMerkle();
    const url = await createOldDatabase(23);
    await connectTestDatabase(
      url,
    )`INSERT INTO settings (key, value) VALUES ('epoch', '"3c2e0ed5-5b5d-4e0f-8a0c-3f1f5a0c6a11"')`;
    const started = await merkle.run(["up", "--port", "0", "--detach"], { env: { DATABASE_URL: url } });
    expect(started).toMatchObject({ code: 0, stdout: expect.stringContaining("backed up") });
    expect(await readdir(join(merkle.home, "backups"))).toEqual([
      expect.stringContaining("before-0023_verified_persons"),
    ]);
  });

  it("[DB-33] data of an older PostgreSQL is refused by up, and moved by upgrade --postgres", {
    tags: "postgres15",
  }, async () => {
    const merkle = await testMerkle();
    await startWithSession(merkle);
    const file = join(merkle.home, "session.backup");
    await merkle.run(["backup", file]);
    await merkle.run(["down"]);
    const older = await makeTestHome({ mode: 0o700 });
    onTestFinished(() => older.remove());
    const server = await older.start({ binaries: findOldestBinaries() ?? "", ignoreOlderMajor: true });
    await restoreDatabase({ target: server.connection, file });
    await server.stop();

    const env = { MERKLE_HOME: older.path };
    await copyFile(join(merkle.home, "audit-key.json"), join(older.path, "audit-key.json"));
    expect(await merkle.run(["up", "--port", "0", "--detach"], { env, fromNothing: true })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("merkle upgrade --postgres /usr/lib/postgresql/15"),
    });
    expect(await readdir(join(older.path, "pg"))).not.toContain("18");
    const moved = await merkle.run(["upgrade", "--postgres", findOldestBinaries() ?? ""], { env });
    expect(moved).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("moved from PostgreSQL 15 to 18"),
    });
    const again = await merkle.run(["upgrade", "--postgres", "/nowhere"], { env });
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("/nowhere has no PostgreSQL that runs"),
    });

    const copied = join(merkle.home, "moved.backup");
    expect(await merkle.run(["backup", copied], { env })).toMatchObject({
      stdout: expect.stringContaining("1 session, 2 messages"),
    });
  });
});
