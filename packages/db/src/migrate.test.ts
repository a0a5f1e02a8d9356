import { randomUUID } from "node:crypto";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { expect, inject, it, onTestFinished } from "vitest";
import { makeRow } from "../../../tests/kit/message-row.js";
import { connectTestDatabase, createTestDatabase } from "../../../tests/kit/test-database.js";
import { applyMigrations } from "./backup/apply-migrations.js";
import { withRestore } from "./backup/transaction.js";
import { knownMigrations, migrationsFolder } from "./migrate.js";
import { openDatabase } from "./open-database.js";
import { listPeers } from "./queries/peers.js";
import { findSession } from "./queries/sessions.js";

/** An address of an empty database that has seen only the first migrations. */
async function createOldDatabase(migrations: number): Promise<string> {
  const { serverUrl } = inject("postgres");
  const url = await createTestDatabase();
  const name = new URL(url).pathname.slice(1);
  const admin = connectTestDatabase(`${serverUrl}/postgres`);
  await admin.unsafe(`DROP DATABASE ${name}`);
  await admin.unsafe(`CREATE DATABASE ${name}`);
  await withRestore(url, (sql) => applyMigrations(sql, knownMigrations().slice(0, migrations)));
  return url;
}

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
  });
  expect(await listPeers(db.orm, mesh, said)).toMatchObject([
    { team: "Birch", name: null, personId: null, personLastRead: null },
  ]);
});

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
