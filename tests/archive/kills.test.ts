import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startBrokerProcess } from "../faults/broker-process.js";
import { putAuditKey } from "../kit/audit-key.js";
import { makePerson, noteHome } from "../kit/persons.js";
import { startS3Server } from "../kit/s3-server.js";
import { expectFailure } from "../kit/session.js";
import { connectTestDatabase, createTestDatabase } from "../kit/test-database.js";
import { brokerTransports } from "../kit/transports.js";
import { startNodes } from "../nodes/start-nodes.js";
import { createTalkativeSession, readAllRows } from "./talk.js";
import { untilDone } from "./until-done.js";

/** Starts a broker process with archive storage, and creates a concluded session. */
async function prepare() {
  const s3 = await startS3Server();
  const databaseUrl = await createTestDatabase(onTestFinished);
  const home = await mkdtemp(join(tmpdir(), "merkle-archive-"));
  await putAuditKey(home);
  const broker = await startBrokerProcess(
    { home, databaseUrl, options: { archive: s3.archive } },
    () => undefined,
  );
  noteHome(Number(new URL(broker.url).port), home);
  onTestFinished(async () => {
    await broker.kill();
    await rm(home, { recursive: true, force: true });
  });
  const sql = connectTestDatabase(databaseUrl);
  const client = await brokerTransports.rest(broker.url);
  const { person_id: team_id } = await makePerson(client, "Ana");
  const session = await createTalkativeSession(client, sql, team_id);
  const own = { session_id: session.sessionId };
  const rows = await readAllRows(sql, own.session_id);
  const archive = () => untilDone(() => client.call("archive_session", { ...own, team_id }));
  const unarchive = () => untilDone(() => client.call("unarchive_session", { ...own, team_id }));
  return { s3, broker, sql, client, own, rows, archive, unarchive };
}

/** Kills the broker when it sends the given request to the storage, and restarts it. */
async function killAt(
  { s3, broker }: Pick<Awaited<ReturnType<typeof prepare>>, "s3" | "broker">,
  work: () => Promise<unknown>,
  [wantedMethod, ending]: readonly [string, string],
): Promise<void> {
  const reached = new Promise<void>((resolve) => {
    s3.meddle = (method, key) => {
      if (method !== wantedMethod || !key.endsWith(ending)) return "pass";
      resolve();
      return new Promise(() => undefined);
    };
  });
  const cut = work().catch(() => undefined);
  await reached;
  await broker.kill();
  await cut;
  s3.meddle = () => "pass";
  await broker.start();
}

describe("[ARCHIVE-3] a broker that is killed", () => {
  for (const step of [
    ["PUT", ".zip"],
    ["PUT", ".rows.gz"],
    ["GET", ".zip"],
    ["GET", ".rows.gz"],
  ] as const) {
    it(`at ${step.join(" ")} leaves the session as it was, and what it sent goes with the next attempt`, {
      tags: step.join() === "GET,.rows.gz" ? [] : "long",
    }, async () => {
      const at = await prepare();
      await killAt(at, at.archive, step);
      expect(await readAllRows(at.sql, at.own.session_id)).toEqual(at.rows);
      expect((await at.client.call("get_session", at.own)).archived_at).toBe(null);
      expect((await at.client.call("get_history", at.own)).messages.length).toBeGreaterThan(0);
      const { bundle, rows } = await at.archive();
      expect(await at.s3.keys()).toEqual([bundle.key, rows.key].sort());
      await at.unarchive();
      expect(await readAllRows(at.sql, at.own.session_id)).toEqual(at.rows);
    });
  }

  for (const next of ["archive", "unarchive"] as const) {
    it(`before the rows are deleted leaves an archived session, and ${next}_session goes on`, {
      tags: "long",
    }, async () => {
      const at = await prepare();
      const { sql, own, broker } = at;
      // A row lock keeps the messages from being deleted, but blocks nothing else.
      const held = await sql.reserve();
      await held`BEGIN`;
      await held`SELECT FROM messages WHERE session_id = ${own.session_id} FOR KEY SHARE`;
      const cut = at.archive().catch(() => undefined);
      await expect
        .poll(async () => (await sql`SELECT FROM feeds WHERE archived_at IS NOT NULL`).length)
        .toBe(1);
      await broker.kill();
      await cut;
      await held`ROLLBACK`;
      held.release();
      await broker.start();
      expect((await readAllRows(sql, own.session_id)).messages).toEqual(at.rows.messages);
      expect((await expectFailure(at.client.call("get_history", own))).code).toBe("session_archived");
      await at[next]();
      if (next === "archive") {
        expect((await readAllRows(sql, own.session_id)).messages).toEqual([]);
        await at.unarchive();
      }
      expect(await readAllRows(sql, own.session_id)).toEqual(at.rows);
    });
  }

  it("while it brings a session back leaves it archived, and can bring it back", {
    tags: "long",
  }, async () => {
    const at = await prepare();
    await at.archive();
    await killAt(at, at.unarchive, ["GET", ".rows.gz"]);
    expect((await expectFailure(at.client.call("get_history", at.own))).code).toBe("session_archived");
    await at.unarchive();
    expect(await readAllRows(at.sql, at.own.session_id)).toEqual(at.rows);
  });

  it("while it deletes the objects leaves the session here, and the objects go when that is asked for again", {
    tags: "long",
  }, async () => {
    const at = await prepare();
    await at.archive();
    await killAt(at, at.unarchive, ["DELETE", ".zip"]);
    expect(await readAllRows(at.sql, at.own.session_id)).toEqual(at.rows);
    expect(await at.s3.keys()).toHaveLength(2);
    expect(await at.unarchive()).toMatchObject({ left: [] });
    expect(await at.s3.keys()).toEqual([]);
  });
});

it("[ARCHIVE-10] a session that one node archives is refused at the other, which brings it back", async () => {
  const s3 = await startS3Server();
  const { nodes, databaseUrl } = await startNodes(2, { options: { archive: s3.archive } });
  const [a, b] = nodes;
  if (!a || !b) throw new Error("There are two nodes.");
  const sql = connectTestDatabase(databaseUrl);
  const { person_id: team_id } = await makePerson(a.client, "Ana");
  const session = await createTalkativeSession(a.client, sql, team_id);
  const own = { session_id: session.sessionId };
  const rows = await readAllRows(sql, own.session_id);
  const before = await b.client.call("get_history", { ...own, limit: 100 });
  const archiving = untilDone(() => a.client.call("archive_session", { ...own, team_id }));
  await expect.poll(async () => (await sql`SELECT FROM feeds WHERE archived_at IS NOT NULL`).length).toBe(1);
  // The other node refuses reads even before the rows are deleted.
  await expect
    .poll(() =>
      b.client.call("get_history", own).then(
        () => "served",
        ({ code }) => code,
      ),
    )
    .toBe("session_archived");
  expect((await readAllRows(sql, own.session_id)).messages.length).toBeGreaterThan(0);
  await archiving;
  expect((await readAllRows(sql, own.session_id)).messages).toEqual([]);
  const both = await Promise.all(
    [a, b].map(({ client }) => untilDone(() => client.call("unarchive_session", { ...own, team_id }))),
  );
  expect(both.map(({ messages }) => messages)).toEqual([rows.messages.length, rows.messages.length]);
  expect(await readAllRows(sql, own.session_id)).toEqual(rows);
  for (const { client } of [a, b])
    expect(await client.call("get_history", { ...own, limit: 100 })).toEqual(before);
});
