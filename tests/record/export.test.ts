import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { joinMesh, startInviteBroker } from "../kit/members.js";
import { createTestSession, type TestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { download, exportBundle, verifyWhole } from "./bundles.js";
import { createConcludedSession } from "./full-session.js";

const cleanup = createCleanup();
let broker: TestBroker;
let transport: TransportClient;
/** A shared session for tests that only read. */
let session: TestSession;

beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await brokerTransports.rest(broker.url);
  session = await createConcludedSession(transport, "# No *heading* http://x.example");
});

/** Changes rows directly in the database, as only a database administrator could. */
async function tamper(statement: string, session: string): Promise<void> {
  const sql = connectTestDatabase(broker.databaseUrl, cleanup);
  await sql.begin(async (tx) => {
    await tx`SET LOCAL session_replication_role = replica`;
    await tx.unsafe(statement, [session]);
  });
}

describe("a bundle", () => {
  it("[EXPORT-2] [EXPORT-3] holds the whole record, verifies, and gives no removed or private text away", async () => {
    const bundle = await exportBundle(broker.url, session.slug);
    expect(bundle.names).toEqual([
      "feed.ndjson",
      "document.ndjson",
      "document.md",
      "roster.json",
      "state.ndjson",
      "heads.ndjson",
      "keys.json",
      "manifest.json",
    ]);
    expect(await verifyWhole(bundle)).toMatchObject({
      ok: true,
      findings: [],
      size: 8,
      matched: 8,
      redacted: 1,
      document_version: 3,
    });
    const texts = await Promise.all(bundle.names.map((name) => bundle.text(name)));
    for (const text of texts) expect(text).not.toContain("hunter2");
    const feed = await bundle.lines("feed.ndjson");
    expect(feed.map(({ message }) => Object(message).session_id)).toEqual(Array(8).fill(session.sessionId));
    expect(feed[4]).toMatchObject({ salt: null, message: { content: { redacted: true } } });
    expect(await bundle.lines("state.ndjson")).toEqual([
      expect.objectContaining({ key: "frozen", value: { on: true } }),
    ]);
    expect(await bundle.text("roster.json")).not.toMatch(/mk_|secret|cwd/);
    const heads = await bundle.lines("heads.ndjson");
    expect(heads.map(({ size }) => size)).toEqual([7, 8]);
    expect(heads.every(({ about }) => about !== undefined)).toBe(true);
  });

  it("[EXPORT-1] holds what there was when it began, whatever is posted meanwhile", async () => {
    const session = await createTestSession(transport);
    const posters = Array.from({ length: 30 }, (_, place) => session.post(session.convener, `m${place}`));
    const bundles = await Promise.all([
      exportBundle(broker.url, session.slug),
      exportBundle(broker.url, session.slug),
    ]);
    await Promise.all(posters);
    for (const bundle of bundles) {
      const report = await verifyWhole(bundle);
      expect(report.findings).toEqual([]);
      expect(await bundle.lines("feed.ndjson")).toHaveLength(report.size);
    }
  });

  it("[EXPORT-6] of damaged rows shows the damage where it is", async () => {
    const session = await createTestSession(transport);
    for (let place = 1; place <= 6; place += 1) await session.post(session.convener, `m${place}`);
    await transport.call("session_seal", { session_id: session.sessionId });
    await tamper(
      `UPDATE messages SET content = '{"text": "m0"}' WHERE session_id = $1 AND sequence = 3`,
      session.sessionId,
    );
    const changed = await verifyWhole(await exportBundle(broker.url, session.slug));
    expect(changed).toMatchObject({
      ok: false,
      findings: [expect.objectContaining({ sequence: 3 })],
    });
    await tamper(
      "UPDATE messages SET content = 'no json' WHERE session_id = $1 AND sequence = 3",
      session.sessionId,
    );
    const broken = await verifyWhole(await exportBundle(broker.url, session.slug));
    expect(broken).toMatchObject({
      ok: false,
      findings: expect.arrayContaining([expect.objectContaining({ sequence: 3 })]),
    });
    await tamper("DELETE FROM messages WHERE session_id = $1 AND sequence = 3", session.sessionId);
    const cut = await verifyWhole(await exportBundle(broker.url, session.slug));
    expect(cut).toMatchObject({
      ok: false,
      findings: expect.arrayContaining([expect.objectContaining({ sequence: 3 })]),
    });
  });
});

describe("other forms", () => {
  it("[EXPORT-4] a page shows what others wrote and renders none of it, the conclusion first", async () => {
    const page = Buffer.from(await download(broker.url, session.sessionId, "md")).toString();
    expect(page).toContain("# \\# No \\*heading\\* http\\://x.example\n");
    expect(page.indexOf("## Conclusion")).toBeLessThan(page.indexOf("## Feed"));
    expect(page).toContain(
      "````text\nHello `world`\n```\n# no heading\n<img src=x> http://x.example\n````\n",
    );
    expect(page).toMatch(/\(its text was removed by Birch, \S+: a secret\)/);
    expect(page).toMatch(/Root: `[0-9a-f]{64}`/);
    expect(page).not.toContain("hunter2");
  });

  it("[EXPORT-5] lines are the messages as the history has them", async () => {
    const lines = Buffer.from(await download(broker.url, session.slug, "ndjson"))
      .toString()
      .trim()
      .split("\n");
    const { messages } = await transport.call("get_history", { session_id: session.sessionId });
    expect(lines.map((line) => JSON.parse(line))).toEqual(messages);
  });

  it("[EXPORT-1] what is not there, or is no form, is told as everywhere", async () => {
    const answers = [
      [`/api/sessions/${randomUUID()}/export`, 404],
      ["/api/sessions/nowhere/export?as=md", 404],
    ] as const;
    for (const [path, status] of answers) expect((await fetch(broker.url + path)).status).toBe(status);
    const session = await createTestSession(transport);
    const wrong = await fetch(`${broker.url}/api/sessions/${session.slug}/export?as=pdf`);
    expect(wrong.status).toBe(400);
    const inQuery = await fetch(`${broker.url}/api/sessions/${session.slug}/export?team_id=x`);
    expect(inQuery.status).toBe(400);
    const forged = await fetch(`${broker.url}/api/sessions/${session.slug}/export`, {
      headers: { "x-team-id": "let-me-in" },
    });
    expect(forged.status).toBe(401);
  });

  it("[EXPORT-1] an empty session can be exported, too", async () => {
    const session = await createTestSession(transport, "Empty");
    const report = await verifyWhole(await exportBundle(broker.url, session.slug));
    expect(report).toMatchObject({ ok: true, size: 0, document_version: 0 });
  });

  it("[EXPORT-7] a reader that goes away ends it, and the broker is none the worse", async () => {
    const session = await createTestSession(transport);
    for (let place = 1; place <= 5; place += 1) await session.post(session.convener, "x".repeat(60_000));
    for (let time = 0; time < 12; time += 1) {
      const gone = new AbortController();
      const response = await fetch(`${broker.url}/api/sessions/${session.slug}/export?as=ndjson`, {
        signal: gone.signal,
      });
      await response.body?.getReader().read();
      gone.abort();
    }
    await expect
      .poll(async () => (await verifyWhole(await exportBundle(broker.url, session.slug))).ok)
      .toBe(true);
  });
});

describe("who may", () => {
  it("[EXPORT-7] [GUARD-24] readers that stopped reading keep nobody else from exporting", async () => {
    const { broker: guarded, admin } = await startInviteBroker(cleanup);
    const { url } = guarded;
    const large = await createTestSession(admin);
    // More data than a connection's buffers can hold.
    for (let round = 0; round < 10; round += 1)
      await Promise.all(Array.from({ length: 25 }, () => large.post(large.convener, "x".repeat(60_000))));
    const { token: link } = await admin.call("create_observer_link", { session_id: large.sessionId });
    const { link: invite } = await admin.call("create_invite", { role: "member" });
    const elm = await joinMesh(url, { invite, name: "Elm" }, cleanup);
    const { token: elms } = await elm.call("issue_token", {});
    const { token: admins } = await admin.call("issue_token", {});
    const begin = async (token: string) => {
      const response = await fetch(`${url}/api/sessions/${large.slug}/export?as=ndjson`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { status } = response;
      // fetch closes the stream of a response that has been garbage-collected, so the clean-up function keeps a
      // reference to the response.
      if (status === 200) cleanup(async () => response.body?.cancel());
      return { status, error: status === 200 ? null : (await response.json()).error };
    };
    const tooMany = (at_once: number) => ({
      status: 429,
      error: { code: "too_many_requests", details: { limit: "export", at_once } },
    });
    expect(await begin(link)).toMatchObject({ status: 200 });
    expect(await begin(link)).toMatchObject(tooMany(1));
    for (let place = 1; place <= 2; place += 1) expect(await begin(elms)).toMatchObject({ status: 200 });
    expect(await begin(elms)).toMatchObject(tooMany(2));
    const bytes = await download(url, large.slug, "ndjson", { authorization: `Bearer ${admins}` });
    expect(bytes.length).toBeGreaterThan(10_000_000);
  });

  it("[EXPORT-8] export what they may read, and import into a mesh that they are members of", async () => {
    const { broker: guarded, admin } = await startInviteBroker(cleanup);
    const { url } = guarded;
    const { link } = await admin.call("create_invite", { role: "member" });
    const member = await joinMesh(url, { invite: link, name: "Elm" }, cleanup);
    const { token } = await member.call("issue_token", {});
    const mine = await member.call("create_session", { title: "Mine", creator_team_name: "Elm" });
    const others = await member.call("create_session", { title: "Others", creator_team_name: "Elm" });
    const { token: onlooker } = await member.call("create_observer_link", { session_id: mine.session_id });
    const ask = async (path: string, as?: string, method = "GET") => {
      const response = await fetch(`${url}/api${path}`, {
        method,
        headers: {
          ...(as !== undefined && { authorization: `Bearer ${as}` }),
          ...(method === "POST" && { "content-type": "application/zip" }),
        },
        ...(method === "POST" && { body: "no zip" }),
      });
      await response.arrayBuffer();
      return response.status;
    };
    expect(await ask(`/sessions/${mine.slug}/export`)).toBe(401);
    expect(await ask(`/sessions/${mine.slug}/export`, token)).toBe(200);
    expect(await ask(`/sessions/${mine.slug}/export`, onlooker)).toBe(200);
    expect(await ask(`/sessions/${others.slug}/export`, onlooker)).toBe(404);
    expect(await ask("/import", undefined, "POST")).toBe(401);
    expect(await ask("/import", onlooker, "POST")).toBe(403);
    expect(await ask("/import", token, "POST")).toBe(400);
  });

  it("[EXPORT-2] [REDACT-1] holds no text that was removed, and verifies without it, and under the seal before", async () => {
    const session = await createConcludedSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const sealed = await verifyWhole(await exportBundle(broker.url, session.slug));
    await transport.call("redact_message", { session_id, team_id, sequence: 2, reason: "a secret" });
    const told = await transport.call("redact_message", {
      session_id,
      team_id,
      document_versions: { from: 1, to: 1 },
    });
    // Redacts the event that records which version lost its text. The event that records this second redaction must
    // then list that version again.
    await transport.call("redact_message", { session_id, team_id, sequence: told.sequence ?? 0 });
    const bundle = await exportBundle(broker.url, session.slug);
    const report = await verifyWhole(bundle, { trusted: { heads: sealed.head ? [sealed.head] : [] } });
    expect(report.findings).toEqual([]);
    expect(report).toMatchObject({ ok: true, size: 11, redacted: 3 });
    expect(await bundle.text("feed.ndjson")).not.toContain("no heading");
    expect((await bundle.lines("document.ndjson"))[0]).toMatchObject({ content: null, salt: null });
  });
});
