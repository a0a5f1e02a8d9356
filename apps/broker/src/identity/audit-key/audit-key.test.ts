import { chmod, cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "@merkle/db";
import { encodeHead, encodeSuccession } from "@merkle/wire/record";
import { expect, it, onTestFinished } from "vitest";
import { createTestDatabase } from "../../../../../tests/kit/test-database.js";
import { isSigned } from "../../core/is-signed.js";
import { createLog } from "../../core/log.js";
import { openAuditKey } from "./audit-key.js";
import { readAuditKeys, rotateAuditKey } from "./rotate-audit-key.js";

async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "merkle-key-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

async function openTestDatabase(): Promise<Database> {
  const database = await openDatabase({ target: await createTestDatabase() });
  onTestFinished(database.close);
  return database;
}

const logged: string[] = [];
const log = createLog((line) => logged.push(line));
const start = (home: string, database: Database, newKey = false) =>
  openAuditKey({ home, database, shouldCreateKey: newKey, log });

const head = {
  epoch: "5e1f0d0a-0000-4000-8000-000000000000",
  session_id: "5e1f0d0a-0000-4000-8000-000000000001",
  size: 1,
  root: "ab".repeat(32),
  document: { version: 0, hash: null, root: "cd".repeat(32) },
  at: "2026-01-01T00:00:00.000Z",
};

it("[AUDITKEY-1] the first start makes a key, which its owner alone can read, and later ones sign with the same", async () => {
  const [home, database] = [await makeHome(), await openTestDatabase()];
  const first = await start(home, database);
  const signed = first.sign(head);
  const key = first.keys[0];
  expect(isSigned(encodeHead(signed), { key: key?.public_key ?? "", signature: signed.signature })).toBe(
    true,
  );
  expect(((await stat(join(home, "audit-key.json"))).mode & 0o777).toString(8)).toBe("600");
  expect(await readdir(home)).toEqual(["audit-key.json"]);

  const second = await start(home, database);
  expect(second.keys).toEqual(first.keys);
  expect(second.sign(head)).toEqual(signed);
  const { secret } = JSON.parse(await readFile(join(home, "audit-key.json"), "utf8"));
  expect(logged.join("\n")).not.toContain(secret);
});

it("[AUDITKEY-1] a home goes on with its key on another database, which was empty", async () => {
  const home = await makeHome();
  const { keys } = await start(home, await openTestDatabase());
  expect((await start(home, await openTestDatabase())).keys).toEqual(keys);
});

it("[AUDITKEY-2] a home without the database's key is refused, until its file is copied there", async () => {
  const [home, other, database] = [await makeHome(), await makeHome(), await openTestDatabase()];
  const { keys } = await start(home, database);
  await expect(start(other, database)).rejects.toMatchObject({
    code: "no_audit_key",
    message: expect.stringMatching(/Copy audit-key\.json .*--new-audit-key/),
  });
  // A key that was newly created for another database is not accepted.
  await start(other, await openTestDatabase());
  await expect(start(other, database)).rejects.toMatchObject({ code: "no_audit_key" });
  await cp(join(home, "audit-key.json"), join(other, "audit-key.json"));
  expect((await start(other, database)).keys).toEqual(keys);
});

it("[AUDITKEY-2] where the key is lost, a start that is told to makes one that nothing vouches for, and deletes no other", async () => {
  const [home, other, database] = [await makeHome(), await makeHome(), await openTestDatabase()];
  const before = await start(home, database);
  const own = await start(other, await openTestDatabase());
  const after = await start(other, database, true);
  expect(after.keys).toEqual([...before.keys, expect.objectContaining({ previous: null, succession: null })]);
  expect(after.sign(head).key_id).toBe(after.keys[1]?.key_id);
  expect((await readdir(other)).sort()).toEqual([
    `audit-key-${own.keys[0]?.key_id.slice(0, 8)}.json`,
    "audit-key.json",
  ]);
  // If the option is given again, the broker keeps its current key.
  expect((await start(other, database, true)).keys).toEqual(after.keys);
  await expect(start(home, database)).rejects.toMatchObject({ code: "no_audit_key" });
});

it("[AUDITKEY-2] a file that is damaged, or holds the secret of another key, is refused and left alone", async () => {
  const [home, database] = [await makeHome(), await openTestDatabase()];
  await start(home, database);
  const path = join(home, "audit-key.json");
  const whole = await readFile(path, "utf8");
  const file = JSON.parse(whole);
  for (const text of [
    "",
    "{}",
    whole.slice(0, -20),
    JSON.stringify({ ...file, keys: [] }),
    JSON.stringify({ ...file, secret: "A".repeat(43) }),
    JSON.stringify({ ...file, keys: [{ ...file.keys[0], key_id: "0".repeat(32) }] }),
  ]) {
    await writeFile(path, text);
    await expect(start(home, database, true)).rejects.toMatchObject({ code: "bad_audit_key" });
    await expect(rotateAuditKey(home)).rejects.toMatchObject({ code: "bad_audit_key" });
    expect(await readFile(path, "utf8")).toBe(text);
  }
});

it("[AUDITKEY-4] a successor is made by the key before it, and taken at the next start, after several as well", async () => {
  const [home, copy, database] = [await makeHome(), await makeHome(), await openTestDatabase()];
  await expect(rotateAuditKey(home)).rejects.toMatchObject({ code: "no_audit_key" });
  const first = await start(home, database);
  await cp(home, copy, { recursive: true });
  const second = await rotateAuditKey(home);
  const third = await rotateAuditKey(home);
  expect(await readAuditKeys(home)).toEqual([...first.keys, second, third]);
  expect(((await stat(join(home, "audit-key.json"))).mode & 0o777).toString(8)).toBe("600");

  const { keys, sign } = await start(home, database);
  expect(keys).toEqual([...first.keys, second, third]);
  expect(sign(head).key_id).toBe(third.key_id);
  for (const [place, key] of keys.slice(1).entries()) {
    const before = keys[place];
    expect(key.previous).toBe(before?.key_id);
    const by = { key: before?.public_key ?? "", signature: key.succession ?? "" };
    expect(isSigned(encodeSuccession(key), by)).toBe(true);
  }
  // An old copy of the key file lacks the newest key.
  await expect(start(copy, database)).rejects.toMatchObject({ code: "no_audit_key" });
});

it("[AUDITKEY-4] a successor that the key before did not sign is not registered", async () => {
  const [home, database] = [await makeHome(), await openTestDatabase()];
  const { keys } = await start(home, database);
  const stranger = await makeHome();
  const { keys: others } = await start(stranger, await openTestDatabase());
  const path = join(stranger, "audit-key.json");
  const { secret } = JSON.parse(await readFile(path, "utf8"));
  const claimed = { ...others[0], previous: keys[0]?.key_id, succession: "A".repeat(86) };
  await writeFile(path, JSON.stringify({ keys: [...keys, claimed], secret }));
  await chmod(path, 0o600);
  await expect(start(stranger, database)).rejects.toMatchObject({ code: "no_audit_key" });
});
