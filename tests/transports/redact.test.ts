import { randomUUID } from "node:crypto";
import { createLog } from "@merkle/broker";
import { openDatabase } from "@merkle/db";
import { compactMessage } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createChannel } from "../../apps/broker/src/feed/delivery/channel.js";
import { createCleanup } from "../kit/cleanup.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { exportBundle, importInto, verifyWhole } from "../record/bundles.js";

let broker: TestBroker;
let transport: TransportClient;
const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await brokerTransports.rest(broker.url);
});

/** Returns a word that occurs nowhere else on this broker. */
const newWord = () => `w${randomUUID().replaceAll("-", "")}`;

/**
 * Creates a session with Atlas and Birch, in which message 2, from Atlas, contains the word. The person Ana has not
 * joined the session.
 */
async function startSession() {
  const session = await createTestSession(transport);
  const { sessionId: session_id, convener: atlas } = session;
  const birch = (await session.join("Birch")).credential;
  const { person_id: ana } = await makePerson(transport, "Ana");
  const word = newWord();
  const { cursor } = await session.post(atlas, `The key is ${word}.`);
  return {
    session_id,
    atlas,
    birch,
    ana,
    word,
    cursor,
    redact: (team_id: string, sequence: number, reason?: string) =>
      transport.call("redact_message", { session_id, team_id, sequence, ...(reason && { reason }) }),
    history: async () => (await transport.call("get_history", { session_id, limit: 500 })).messages,
    message: async (sequence: number) =>
      (await transport.call("get_history", { session_id, around: sequence, limit: 500 })).messages.find(
        (each) => each.sequence === sequence,
      ),
  };
}

/** Returns the tables that contain a word. Once the word has been removed, there should be none. */
async function tablesWith(word: string): Promise<string[]> {
  const sql = connectTestDatabase(broker.databaseUrl, onTestFinished);
  const tables = await sql<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await sql`SELECT FROM ${sql(name)} t WHERE t::text LIKE ${`%${word}%`} LIMIT 1`;
      return rows.length > 0 ? [name] : [];
    }),
  );
  return found.flat();
}

describe("a redacted message", () => {
  it("[REDACT-1] [REDACT-4] loses its text everywhere, and says who removed it, when and why", async () => {
    const at = await startSession();
    expect((await transport.call("search", { query: at.word })).hits).toHaveLength(1);
    expect(await tablesWith(at.word)).toEqual(["message_words", "messages"]);
    const before = await at.message(at.cursor);

    const done = await at.redact(at.atlas, at.cursor, "holds a key");
    expect(done).toEqual({ redacted: 1, sequence: at.cursor + 1 });
    const event = await at.message(done.sequence ?? 0);
    expect(event).toMatchObject({
      type: "system",
      event: "message_redacted",
      by: "Atlas",
      redacted_sequence: at.cursor,
      reason: "holds a key",
      reply_to: at.cursor,
    });
    const { content: _text, ...rest } = before ?? {};
    expect(await at.message(at.cursor)).toEqual({
      ...rest,
      content: { redacted: true },
      redaction: { by: "Atlas", at: event?.["at"], reason: "holds a key", sequence: done.sequence },
    });
    expect(await tablesWith(at.word)).toEqual([]);
    expect((await transport.call("search", { query: at.word })).hits).toEqual([]);
    expect((await transport.call("get_history", { session_id: at.session_id, q: at.word })).messages).toEqual(
      [],
    );
  });

  it("[REDACT-1] is removed once: again, nothing happens, and the first event is named", async () => {
    const at = await startSession();
    const first = await at.redact(at.atlas, at.cursor);
    const last = (await at.history()).at(-1)?.sequence;
    expect(await at.redact(at.ana, at.cursor, "again")).toEqual({ redacted: 0, sequence: first.sequence });
    expect((await at.history()).at(-1)?.sequence).toBe(last);
    const racing = await transport.call("post_message", {
      session_id: at.session_id,
      team_id: at.atlas,
      content: { text: "twice" },
    });
    const both = await Promise.all([at.redact(at.atlas, racing.cursor), at.redact(at.ana, racing.cursor)]);
    expect(both.map(({ redacted }) => redacted).sort()).toEqual([0, 1]);
    expect(new Set(both.map(({ sequence }) => sequence)).size).toBe(1);
  });

  it("[REDACT-2] is its team's, or a human's, to remove; agents leave alone what others said", async () => {
    const at = await startSession();
    expect(await expectFailure(at.redact(at.birch, at.cursor))).toMatchObject({ code: "forbidden" });
    const nobody = transport.call("redact_message", { session_id: at.session_id, sequence: at.cursor });
    expect(await expectFailure(nobody)).toMatchObject({ code: "unauthorized" });
    expect(await expectFailure(at.redact(at.atlas, 999))).toMatchObject({ code: "not_found" });
    const both = { sequence: at.cursor, document_versions: { from: 1, to: 1 } };
    for (const input of [{}, both, { document_versions: { from: 2, to: 1 } }]) {
      const call = transport.call("redact_message", {
        session_id: at.session_id,
        team_id: at.atlas,
        ...input,
      });
      expect(await expectFailure(call)).toMatchObject({ code: "bad_request" });
    }
    expect(await at.redact(at.ana, at.cursor)).toMatchObject({ redacted: 1 });
    expect((await at.message(at.cursor))?.redaction).toMatchObject({ by: "Ana", reason: null });
    const { participants } = await transport.call("list_participants", { session_id: at.session_id });
    expect(participants.map(({ team_name }) => team_name)).not.toContain("Ana");
  });

  it("[REDACT-3] can be one of a concluded session", async () => {
    const at = await startSession();
    await transport.call("conclude_session", {
      session_id: at.session_id,
      team_id: at.atlas,
      summary_section: "Done.",
    });
    expect(await at.redact(at.birch, at.cursor).catch((error: unknown) => error)).toMatchObject({
      code: "forbidden",
    });
    expect(await at.redact(at.ana, at.cursor)).toMatchObject({ redacted: 1 });
    expect((await at.message(at.cursor))?.content).toEqual({ redacted: true });
  });

  it("[REDACT-5] is read redacted by whoever comes late, by history, wait and push", async () => {
    const at = await startSession();
    const late = { session_id: at.session_id, team_id: at.birch };
    await at.redact(at.atlas, at.cursor, 'a "key"');
    const { messages } = await transport.call("wait_for_messages", { ...late, timeout: 0 });
    expect(messages.map(({ sequence, content, redaction }) => [sequence, content, redaction?.by])).toEqual([
      [at.cursor, { redacted: true }, "Atlas"],
      [at.cursor + 1, expect.objectContaining({ event: "message_redacted" }), undefined],
    ]);
    expect(JSON.stringify(messages)).not.toContain(at.word);
  });

  it("[REDACT-5] is forgotten by the ring of each node, as soon as that sees the event", async () => {
    const at = await startSession();
    const database = await openDatabase({ target: broker.databaseUrl });
    onTestFinished(database.close);
    const start = { sessionId: at.session_id, head: at.cursor - 1, isClosed: false, documentVersion: 0 };
    const log = createLog(() => undefined);
    const node = createChannel(start, { database, budget: { bytes: 0 }, log });
    const bounds = { messagesMax: 10, bytesMax: limits.pageBytesMax };
    const kept = () => JSON.stringify(node.readNow(at.cursor - 1, bounds)?.map(({ message }) => message));
    node.hint(at.cursor);
    await expect.poll(() => node.head).toBe(at.cursor);
    expect(kept()).toContain(at.word);

    const { sequence } = await at.redact(at.atlas, at.cursor);
    node.hint(sequence ?? 0);
    await expect.poll(() => node.head).toBe(sequence);
    expect(node.readNow(at.cursor - 1, bounds), "it is no longer in memory").toBeNull();
    const read = await node.read(at.cursor - 1, bounds);
    expect(read.map(({ message }) => message.content)).toEqual([
      { redacted: true },
      expect.objectContaining({ event: "message_redacted" }),
    ]);
    node.dispose();
  });

  it("[REDACT-8] is not posted again by a repetition with its key, and the repetition is answered as the first was", async () => {
    const at = await startSession();
    const posting = {
      session_id: at.session_id,
      team_id: at.atlas,
      content: { text: "twice the same" },
      idempotency_key: "k",
    };
    const first = await transport.call("post_message", posting);
    const { sequence } = await at.redact(at.atlas, first.cursor);
    expect(await transport.call("post_message", posting)).toEqual(first);
    expect((await at.history()).at(-1)?.sequence).toBe(sequence);
    const other = { ...posting, priority: "low" as const };
    expect(await expectFailure(transport.call("post_message", other))).toMatchObject({ code: "conflict" });
  });

  it("[REDACT-4] tells a model in one line that there is nothing to read", async () => {
    const at = await startSession();
    const ask = await transport.call("post_message", {
      session_id: at.session_id,
      team_id: at.atlas,
      content: { text: "Which?", kind: "ask" },
    });
    await at.redact(at.ana, ask.cursor, 'a "secret"');
    const [read] = (await at.history()).filter(({ sequence }) => sequence === ask.cursor);
    expect(read && compactMessage(read)).toMatch(
      new RegExp(`^#${ask.cursor} Atlas ask \\(removed by Ana at [\\d:]{8}: "a \\\\"secret\\\\""\\)$`),
    );
  });
});

describe("redacting what waits for somebody", () => {
  it("[REDACT-6] an ask is no longer open, and takes no answer", async () => {
    const at = await startSession();
    const { session_id, atlas, birch, ana } = at;
    const ask = await transport.call("post_message", {
      session_id,
      team_id: atlas,
      content: { text: "Which?", kind: "ask", options: ["One", "Two"] },
    });
    const open = async () =>
      (await transport.call("list_attention", { team_id: ana, session: session_id })).items.map(
        ({ kind }) => kind,
      );
    expect(await open()).toEqual(["ask"]);
    await at.redact(atlas, ask.cursor);
    expect(await open()).toEqual([]);
    expect((await at.message(ask.cursor))?.content).toEqual({ kind: "ask", redacted: true });
    const answer = (content: object) =>
      transport.callRaw("post_message", { session_id, team_id: birch, content, reply_to: ask.cursor });
    expect(await expectFailure(answer({ text: "One", answer: "One" }))).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("was removed"),
    });
    expect(await answer({ text: "What was it?" })).toMatchObject({ cursor: expect.any(Number) });
  });

  it("[REDACT-6] an ask stays answered when its answer is removed", async () => {
    const at = await startSession();
    const { session_id, atlas, birch } = at;
    const ask = await transport.call("post_message", {
      session_id,
      team_id: atlas,
      content: { text: "Which?", kind: "ask" },
    });
    const answer = await transport.call("post_message", {
      session_id,
      team_id: birch,
      content: { text: "This", answer: "This" },
      reply_to: ask.cursor,
    });
    await at.redact(birch, answer.cursor);
    const { items } = await transport.call("list_attention", { team_id: at.ana, session: session_id });
    expect(items).toEqual([]);
    const { answered } = await transport.call("message_status", { session_id, message: ask.cursor });
    expect(answered).toEqual({ message: answer.cursor, by: "Birch", answer: null });
  });
});

describe("redacting events", () => {
  it("[REDACT-7] takes a value out of its key's history, once the key holds another", async () => {
    const at = await startSession();
    const { session_id, atlas, birch, word } = at;
    const set = (value: string) =>
      transport.call("set_state", { session_id, team_id: atlas, key: "token", value });
    const listStateEvents = async () => (await at.history()).filter(({ event }) => event === "state_changed");
    await set(`first ${word}`);
    // This change usually comes too soon after the first to get its own event, so the next event covers both changes.
    await set(`second ${word}`);
    await set("third");
    await expect.poll(async () => (await listStateEvents()).at(-1)?.content["version"]).toBe(3);
    const events = (await listStateEvents()).map(({ sequence }) => sequence);
    const [first = 0, last = 0] = [events[0], events.at(-1)];

    expect(await expectFailure(at.redact(atlas, last))).toMatchObject({ code: "conflict" });
    expect(await expectFailure(at.redact(birch, first))).toMatchObject({ code: "forbidden" });
    await set("fourth");
    for (const sequence of events) await at.redact(atlas, sequence);
    expect((await at.message(first))?.content).toEqual({ event: "state_changed", redacted: true });
    const { history } = await transport.call("get_state", { session_id, key: "token", history: true });
    expect(history?.map(({ value, redacted, deleted }) => [value, redacted, deleted])).toEqual([
      ["fourth", undefined, false],
      [undefined, true, false],
      [undefined, true, false],
      [undefined, true, false],
    ]);
    await at.redact(atlas, at.cursor);
    expect(await tablesWith(word)).toEqual([]);
  });

  it("[REDACT-7] of a concluded session takes what the key holds, too", async () => {
    const at = await startSession();
    const { session_id, atlas } = at;
    const value = newWord();
    await transport.call("set_state", { session_id, team_id: atlas, key: "token", value });
    const told = (await at.history()).find(({ event }) => event === "state_changed")?.sequence ?? 0;
    await transport.call("conclude_session", { session_id, team_id: atlas, summary_section: "Done." });
    await at.redact(atlas, told);
    expect((await transport.call("list_state", { session_id })).entries).toEqual([]);
    expect(await tablesWith(value)).toEqual([]);
  });

  it("[REDACT-7] takes the reason of a hold and of a new title from where the session keeps it", async () => {
    const at = await startSession();
    const { session_id, atlas, ana } = at;
    const [why, held] = [newWord(), newWord()];
    await transport.call("update_session_metadata", {
      session_id,
      team_id: atlas,
      title: "Another",
      reason: why,
    });
    await transport.call("hold_session", { session_id, team_id: ana, reason: held });
    const events = await at.history();
    for (const event of ["session_metadata_updated", "session_held"]) {
      await at.redact(ana, events.find((each) => each.event === event)?.sequence ?? 0);
    }
    expect(await tablesWith(why)).toEqual([]);
    expect(await tablesWith(held)).toEqual([]);
    const session = await transport.call("get_session", { session_id });
    expect(session).toMatchObject({ title: "Another", held: { by: "Ana", reason: null }, last_change: null });
  });

  it("[REDACT-7] takes the reason of a redaction itself, which is told all the same", async () => {
    const at = await startSession();
    const reason = newWord();
    const { sequence } = await at.redact(at.atlas, at.cursor, reason);
    await at.redact(at.atlas, sequence ?? 0);
    expect(await tablesWith(reason)).toEqual([]);
    expect((await at.message(at.cursor))?.redaction).toEqual({ by: null, at: null, reason: null, sequence });
  });

  it("[REDACT-7] leaves alone what nobody wrote", async () => {
    const at = await startSession();
    const joined = (await at.history()).find(({ event }) => event === "team_joined");
    expect(await expectFailure(at.redact(at.ana, joined?.sequence ?? 0))).toMatchObject({
      code: "bad_request",
    });
  });
});

describe("redacting versions of the document", () => {
  async function startDocument() {
    const at = await startSession();
    const { session_id, atlas, birch } = at;
    const write = (team_id: string, content: string, expected_version: number) =>
      transport.call("update_session_doc", { session_id, team_id, content, expected_version });
    const secret = newWord();
    await write(atlas, "# Plan", 0);
    await write(atlas, `# Plan\n\n${secret}`, 1);
    await write(birch, "# Plan\n\nnothing", 2);
    return {
      ...at,
      secret,
      write,
      read: (input: object = {}) => transport.call("read_session_doc", { session_id, ...input }),
      redactVersions: (team_id: string, from: number, to: number) =>
        transport.call("redact_message", {
          session_id,
          team_id,
          document_versions: { from, to },
          reason: "a key",
        }),
    };
  }

  it("[REDACT-9] takes their texts; reads, diffs and the list say so", async () => {
    const at = await startDocument();
    const { session_id, atlas } = at;
    const done = await at.redactVersions(atlas, 2, 2);
    expect(done).toMatchObject({ redacted: 1 });
    expect(await tablesWith(at.secret)).toEqual([]);
    const redaction = { by: "Atlas", reason: "a key", sequence: done.sequence };
    for (const input of [{ version: 2 }, { since_version: 2 }, { version: 2, section: "Plan" }]) {
      const read = await at.read(input);
      expect(read).toMatchObject({ redacted_version: 2, redaction });
      expect(read).not.toHaveProperty("content");
      expect(read).not.toHaveProperty("diff");
    }
    expect(await at.read({ since_version: 1 })).toMatchObject({ diff: expect.stringContaining("+nothing") });
    const { versions } = await transport.call("list_doc_versions", { session_id });
    expect(versions.map(({ bytes, redaction: gone }) => [bytes > 0, gone?.by])).toEqual([
      [true, undefined],
      [false, "Atlas"],
      [true, undefined],
    ]);
    expect(await at.redactVersions(atlas, 2, 2)).toEqual({ redacted: 0, sequence: done.sequence });
    const conflict = await expectFailure(at.write(atlas, "late", 2));
    expect(conflict).toMatchObject({ code: "conflict", details: { current_version: 3 } });
    expect(conflict.details).not.toHaveProperty("diff");
  });

  it("[REDACT-9] are the team's own or a human's to remove, and never the newest", async () => {
    const at = await startDocument();
    expect(await expectFailure(at.redactVersions(at.birch, 1, 2))).toMatchObject({ code: "forbidden" });
    expect(await expectFailure(at.redactVersions(at.ana, 2, 3))).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("First save a new version"),
    });
    expect(await expectFailure(at.redactVersions(at.ana, 2, 4))).toMatchObject({ code: "not_found" });
    expect(await at.redactVersions(at.ana, 1, 2)).toMatchObject({ redacted: 2 });
  });

  it("[REDACT-9] [LIMIT-1] redactedVersionsMax at once", async () => {
    const at = await startDocument();
    const max = limits.redactedVersionsMax;
    for (const [to, code] of [
      [max - 1, "not_found"],
      [max, "not_found"],
      [max + 1, "bad_request"],
    ] as const) {
      expect(await expectFailure(at.redactVersions(at.atlas, 1, to)), `1 to ${to}`).toMatchObject({ code });
    }
  });
});

describe("the record of what was redacted", () => {
  it("[REDACT-1] keeps every leaf, root and signature; its export verifies", async () => {
    const at = await startSession();
    const { session_id, atlas } = at;
    const write = (content: string, expected_version: number) =>
      transport.call("update_session_doc", { session_id, team_id: atlas, content, expected_version });
    await write(`# ${at.word}`, 0);
    await write("# Plan", 1);
    const ask = await transport.call("post_message", {
      session_id,
      team_id: atlas,
      content: { text: at.word, kind: "ask" },
    });
    const sealed = await transport.call("post_message", {
      session_id,
      team_id: atlas,
      content: { text: "later private" },
    });
    await makePrivate(session_id, sealed.cursor);
    await transport.call("conclude_session", { session_id, team_id: atlas, summary_section: "Done." });
    const { seals } = await transport.call("session_seal", { session_id });
    const size = seals[0]?.size ?? 0;
    const proofs = () =>
      Promise.all([
        transport.call("session_proof", { session_id, sequence: at.cursor, size }),
        transport.call("session_proof", { session_id, sequence: ask.cursor, size }),
        transport.call("session_proof", { session_id, sequence: sealed.cursor, size }),
        transport.call("session_proof", { session_id, document_version: 1 }),
      ]);
    const before = await proofs();
    for (const sequence of [at.cursor, ask.cursor, sealed.cursor]) await at.redact(at.ana, sequence, "a key");
    await transport.call("redact_message", {
      session_id,
      team_id: at.ana,
      document_versions: { from: 1, to: 1 },
    });
    const after = await proofs();
    const proven = ({ root, head, inclusion }: (typeof before)[number]) => {
      const { content, salt, ...rest } = inclusion ?? {};
      return { root, head, ...rest };
    };
    expect(after.map(proven).slice(0, 3)).toEqual(before.map(proven).slice(0, 3));
    expect(after[3]?.inclusion?.leaf).toBe(before[3]?.inclusion?.leaf);
    expect(after.map(({ inclusion }) => [inclusion?.content, inclusion?.salt])).toEqual([
      ['{"redacted":true}', null],
      ['{"kind":"ask","redacted":true}', null],
      ['{"bytes":23,"private":true,"redacted":true}', null],
      [null, null],
    ]);
    expect((await transport.call("session_seal", { session_id })).seals).toEqual(seals);
    const bundle = await exportBundle(broker.url, session_id);
    expect(await bundle.text("feed.ndjson")).not.toContain(at.word);
    expect(await verifyWhole(bundle)).toMatchObject({ ok: true, findings: [], redacted: 3 });
  });

  it("[REDACT-3] of an imported session is its origin's to change: what is removed there goes here with the next import", async () => {
    const at = await startSession();
    await transport.call("conclude_session", {
      session_id: at.session_id,
      team_id: at.atlas,
      summary_section: "Done.",
    });
    const elsewhere = await transport.call("create_mesh", { name: `m${randomUUID().slice(0, 8)}` });
    const other = await brokerTransports.rest(broker.url, { mesh: elsewhere.mesh_id });
    const bring = async () => {
      const { bytes } = await exportBundle(broker.url, at.session_id);
      return importInto(broker.url, bytes, { "x-merkle-mesh": elsewhere.mesh_id });
    };
    const { body } = await bring();
    const { session_id }: { session_id: string } = Object(body);
    expect((await other.call("search", { query: at.word })).hits).toHaveLength(1);
    const { person_id: ana } = await makePerson(other, "Ana");
    const refused = other.call("redact_message", { session_id, team_id: ana, sequence: at.cursor });
    expect(await expectFailure(refused)).toMatchObject({
      code: "conflict",
      message: expect.stringContaining("imported"),
    });

    await at.redact(at.ana, at.cursor, "a key");
    expect(await bring()).toMatchObject({ status: 200, body: { session_id } });
    const { messages } = await other.call("get_history", { session_id });
    expect(messages.find(({ sequence }) => sequence === at.cursor)).toMatchObject({
      content: { redacted: true },
      redaction: { by: "Ana", reason: "a key" },
    });
    expect((await other.call("search", { query: at.word })).hits).toEqual([]);
    expect(await tablesWith(at.word)).toEqual([]);
  });
});

/** Replaces a message's text with encrypted text. Only its format matters here. */
async function makePrivate(sessionId: string, sequence: number): Promise<void> {
  const sql = connectTestDatabase(broker.databaseUrl, onTestFinished);
  const sealed = `mks1.${"c".repeat(200)}.${"n".repeat(32)}.${"b".repeat(31)}`;
  const content = JSON.stringify({ private: true, sealed });
  await sql.begin(async (tx) => {
    await tx`ALTER TABLE messages DISABLE TRIGGER messages_change_by_redaction`;
    await tx`UPDATE messages SET content = ${content} WHERE session_id = ${sessionId} AND sequence = ${sequence}`;
    await tx`ALTER TABLE messages ENABLE TRIGGER messages_change_by_redaction`;
  });
}
