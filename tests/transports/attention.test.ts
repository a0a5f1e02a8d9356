import { randomUUID } from "node:crypto";
import type { InputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { dateBack } from "../kit/message-age.js";
import { makeRow } from "../kit/message-row.js";
import { changeSettings, makePerson as makeVerified } from "../kit/persons.js";
import { createTestSession, expectFailure, type TestSession } from "../kit/session.js";
import { itOnOneBroker, startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;
let sql: ReturnType<typeof connectTestDatabase>;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
});

async function makePerson(name: string): Promise<string> {
  return (await makeVerified(transport, name)).person_id;
}

/** Returns the pending items in a session, for a given reader. */
async function waiting({ slug }: TestSession, input: InputOf<"list_attention"> = {}) {
  return (await transport.call("list_attention", { session: slug, ...input })).items;
}

async function kinds(session: TestSession, input: InputOf<"list_attention"> = {}): Promise<string[]> {
  return (await waiting(session, input)).map(({ kind }) => kind);
}

async function ask(session: TestSession, text: string, to?: string[]): Promise<number> {
  const content = { text, kind: "ask" as const, options: ["vault", "new"] };
  const input = { session_id: session.sessionId, team_id: session.convener, content };
  return (await transport.call("post_message", to === undefined ? input : { ...input, to })).cursor;
}

/** Moves a session's creation and its last post this many minutes into the past. */
async function makeOld({ sessionId }: TestSession, minutes: number): Promise<void> {
  await sql`UPDATE sessions SET created_at = created_at - make_interval(mins => ${minutes}) WHERE session_id = ${sessionId}`;
  await sql`UPDATE feeds SET last_posted_at = last_posted_at - make_interval(mins => ${minutes}) WHERE session_id = ${sessionId}`;
}

describe("What waits for a human", () => {
  it("[ATT-1] [ATT-3] an ask of an agent waits until somebody answers it; a plain reply settles nothing", async () => {
    const session = await createTestSession(transport);
    const ana = { session_id: session.sessionId, team_id: await makePerson("Ana") };
    const birch = await session.join("Birch");
    const everyone = await ask(session, "Which staging key?");
    await ask(session, "Birch, are you there?", ["Birch"]);
    await transport.call("post_message", { ...ana, content: { text: "Who is here?", kind: "ask" } });
    const [item, ...more] = await waiting(session);
    expect(more).toEqual([]);
    expect(item).toEqual({
      id: `ask:${session.sessionId}:${everyone}`,
      kind: "ask",
      session_id: session.sessionId,
      session: session.slug,
      session_title: expect.stringContaining("Session"),
      source_path: null,
      since: expect.any(String),
      sequence: everyone,
      number: null,
      team: "Atlas",
      peer: null,
      text: "Which staging key?",
      options: ["vault", "new"],
      blocked_reason: null,
      needs_person: true,
      unanswered: false,
      dismissed: false,
      snoozed_until: null,
    });
    const reply = { session_id: session.sessionId, reply_to: everyone };
    await transport.call("post_message", { ...ana, ...reply, content: { text: "Which do you mean?" } });
    expect(await kinds(session)).toEqual(["ask"]);
    await transport.call("post_message", {
      team_id: birch.credential,
      ...reply,
      content: { text: "vault", answer: "vault" },
    });
    expect(await waiting(session)).toEqual([]);
  });

  it("[ATT-3] an ask to one person is not another's business; one to @humans is everybody's", async () => {
    const session = await createTestSession(transport);
    const [ana, bo] = [await makePerson("Ana"), await makePerson("Bo")];
    for (const team_id of [ana, bo]) {
      await transport.call("join_session", { session_id: session.sessionId, team_name: "-", team_id });
    }
    const toAna = await ask(session, "Ana?", ["Ana"]);
    const toHumans = await ask(session, "Anybody?", ["@humans"]);
    const sequences = async (team_id?: string) =>
      (await waiting(session, team_id === undefined ? {} : { team_id })).map(({ sequence }) => sequence);
    expect(await sequences()).toEqual([toAna, toHumans]);
    expect(await sequences(session.convener)).toEqual([toAna, toHumans]);
    expect(await sequences(ana)).toEqual([toAna, toHumans]);
    expect(await sequences(bo)).toEqual([toHumans]);
    expect(await sequences(await makePerson("Cy"))).toEqual([toHumans]);
  });

  it("[ATT-4] a blocked peer waits until it is not blocked any more, or has gone", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const joined = await transport.call("join_session", { session_id, team_name: "Cedar", peer_name: "elm" });
    const elm = { session_id, team_id: joined.peer_id ?? "" };
    await transport.call("set_status", { ...elm, status: "blocked", reason: "needs the staging key" });
    const [first] = await waiting(session);
    expect(first).toMatchObject({
      kind: "blocked",
      team: "Cedar",
      peer: "elm",
      text: "needs the staging key",
      sequence: null,
    });
    await transport.call("set_status", { ...elm, status: "working" });
    expect(await waiting(session)).toEqual([]);
    await transport.call("set_status", { ...elm, status: "blocked", reason: "needs the staging key" });
    const [second] = await waiting(session);
    expect(second?.id, "the same happening again is another fact").not.toBe(first?.id);
    await transport.call("leave_session", elm);
    expect(await waiting(session)).toEqual([]);
  });

  it("[ATT-4] a blocked peer and its newest open question to people are one item until it is answered or the peer goes on", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const atlas = { session_id, team_id: session.convener };
    const ana = { session_id, team_id: await makePerson("Ana") };
    await ask(session, "Which name?");
    const sequence = await ask(session, "Which staging key?", ["@humans"]);
    await session.join("Birch");
    await ask(session, "Birch, are you there?", ["Birch"]);
    expect(await kinds(session)).toEqual(["ask", "ask"]);
    await transport.call("set_status", { ...atlas, status: "blocked", reason: "needs the staging key" });
    const [item, ...others] = await waiting(session);
    expect(item).toMatchObject({
      ...{ kind: "blocked", team: "Atlas", sequence, text: "Which staging key?", options: ["vault", "new"] },
      ...{ blocked_reason: "needs the staging key", needs_person: true, unanswered: false },
    });
    expect(others).toMatchObject([{ kind: "ask", text: "Which name?", blocked_reason: null }]);
    expect(await transport.call("list_attention", { session: session.slug })).toMatchObject({
      ...{ total: 2, needs_person: 2 },
      kinds: [
        { kind: "blocked", count: 1 },
        { kind: "ask", count: 1 },
      ],
    });
    const answer = { text: "vault", answer: "vault" };
    await transport.call("post_message", { ...ana, reply_to: sequence, content: answer });
    const [first] = await waiting(session);
    expect(first, "its other question is its newest").toMatchObject({ id: item?.id, text: "Which name?" });
    await transport.call("set_status", { ...atlas, status: "working" });
    expect(await kinds(session)).toEqual(["ask"]);
  });

  it("[ATT-5] a hold and a spent budget wait until a human lifts them; nothing of a closed session waits", async () => {
    const session = await createTestSession(transport);
    const ana = { session_id: session.sessionId, team_id: await makePerson("Ana") };
    await transport.call("hold_session", { ...ana, reason: "lunch" });
    expect(await waiting(session)).toMatchObject([{ kind: "held", team: "Ana", text: "lunch" }]);
    await transport.call("resume_session", ana);
    await changeSettings(transport, {
      session_id: session.sessionId,
      session_settings: { message_budget: 2 },
    });
    await session.post(session.convener, "one");
    expect(await waiting(session)).toEqual([]);
    const { at } = await session.post(session.convener, "two");
    expect(await waiting(session)).toMatchObject([{ kind: "budget_spent", since: at }]);
    await transport.call("post_message", { ...ana, content: { text: "go on" } });
    expect(await waiting(session)).toEqual([]);
    await ask(session, "Done?");
    await transport.call("hold_session", ana);
    await makeOld(session, 20);
    expect(await kinds(session), "a held session counts once").toEqual(["ask", "held"]);
    await transport.call("conclude_session", {
      session_id: session.sessionId,
      team_id: session.convener,
      summary_section: "Done.",
    });
    expect(await waiting(session)).toEqual([]);
  });

  itOnOneBroker("that somebody looks in is saved within 5 s")(
    "[ATT-6] an open session is quiet when nobody has polled or spoken for quiet_after_s, until somebody does",
    async () => {
      const session = await createTestSession(transport);
      await makeOld(session, 20);
      expect(await waiting(session), "nothing was said in it yet").toEqual([]);
      await makeOld(session, -20);
      const since = (await session.post(session.convener, "anybody?")).at;
      await makeOld(session, 9);
      expect(await waiting(session)).toEqual([]);
      await makeOld(session, 2);
      const [item] = await waiting(session);
      expect(item).toMatchObject({ kind: "quiet", team: null, text: "" });
      expect(Date.parse(since) - Date.parse(item?.since ?? "")).toBe(11 * 60_000);
      await transport.call("wait_for_messages", {
        session_id: session.sessionId,
        team_id: session.convener,
        timeout: 0,
      });
      expect(await waiting(session), "what is in memory counts before the database").toEqual([]);
    },
  );

  it("[ATT-1] [ATT-2] items are ordered by how urgent their kind is, then by age, and each kind is counted", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const birch = { session_id, team_id: (await session.join("Birch")).credential };
    await transport.call("set_status", { ...birch, status: "blocked", reason: "no key" });
    const [first, second] = [await ask(session, "one?"), await ask(session, "two?")];
    const items = await waiting(session);
    expect(items.map(({ kind, sequence }) => sequence ?? kind)).toEqual(["blocked", first, second]);
    expect(await transport.call("list_attention", { session: session.slug })).toMatchObject({
      total: 3,
      kinds: [
        { kind: "blocked", count: 1 },
        { kind: "ask", count: 2 },
      ],
    });
  });

  it("[ATT-17] [SES-18] what agents can settle themselves needs no person, and marks no session", async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const session = await createTestSession(transport, `Returned ${word}`);
    const { sessionId: session_id, convener: team_id } = session;
    const needing = async () =>
      (await transport.call("list_sessions", { query: word, needs: true })).sessions.length;
    const counts = async () => {
      const { items, total, needs_person } = await transport.call("list_attention", {
        session: session.slug,
      });
      return { total, needs_person, marked: items.filter((item) => item.needs_person).length };
    };
    await transport.call("create_task", { session_id, team_id, title: "Rotate" });
    await transport.call("claim_task", { session_id, team_id, task: 1 });
    await session.post(team_id, "Rotating");
    await sql`UPDATE tasks SET state = 'open', holder = NULL, holder_peer_id = NULL, claimed_at = NULL, renewed_at = NULL, handed_back_at = now() WHERE session_id = ${session_id}`;
    await makeOld(session, 20);
    expect(await kinds(session)).toEqual(["handed_back", "quiet"]);
    expect(await counts()).toEqual({ total: 2, needs_person: 0, marked: 0 });
    expect(await needing()).toBe(0);
    await session.join("Birch");
    const toAgent = await ask(session, "Birch, are you there?", ["Birch"]);
    await dateBack(sql, { sessionId: session_id, sequence: toAgent }, 60);
    expect(await kinds(session), "an unanswered ask to an agent").toEqual(["ask", "handed_back"]);
    expect(await counts()).toEqual({ total: 2, needs_person: 0, marked: 0 });
    await ask(session, "Which key?", ["@humans"]);
    expect(await counts()).toEqual({ total: 3, needs_person: 1, marked: 1 });
    expect(await needing()).toBe(1);
  });

  it("[ATT-1] [LIMIT-1] a reply holds attentionItemsMax, the oldest, and counts attentionCountedMax of a kind", async () => {
    const session = await createTestSession(transport);
    const { sessionId } = session;
    const askFrom = () =>
      makeRow(sessionId, { kind: "ask", content: JSON.stringify({ kind: "ask", text: "?" }) });
    const add = (asks: number) =>
      sql`SELECT append_messages(${JSON.stringify(Array.from({ length: asks }, askFrom))}::text::json, true)`;
    const list = () => transport.call("list_attention", { session: session.slug });
    await add(limits.attentionItemsMax);
    expect(await list()).toMatchObject({ total: limits.attentionItemsMax });
    await add(1);
    const { items, total } = await list();
    expect(total).toBe(limits.attentionItemsMax + 1);
    expect(items.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: limits.attentionItemsMax }, (_, index) => index + 1),
    );
    await add(limits.attentionCountedMax - limits.attentionItemsMax);
    expect(await list()).toMatchObject({ total: limits.attentionCountedMax });
  });

  it("[ATT-1] refuses a session that there is not, and a credential that proves nobody", async () => {
    expect(await expectFailure(transport.call("list_attention", { session: "no-such" }))).toMatchObject({
      code: "not_found",
    });
    const team_id = `${randomUUID()}.mk_${"x".repeat(43)}`;
    expect(await expectFailure(transport.call("list_attention", { team_id }))).toMatchObject({
      code: "unauthorized",
    });
  });
});

describe("Putting away", () => {
  it("[ATT-7] what a person puts away others still see; a snooze ends by itself, and undo brings back", async () => {
    const session = await createTestSession(transport);
    const [ana, bo] = [await makePerson("Ana"), await makePerson("Bo")];
    await ask(session, "Which?");
    const id = (await waiting(session))[0]?.id ?? "";
    expect(await transport.call("dismiss_attention", { id, team_id: ana })).toEqual({
      id,
      dismissed: true,
      snoozed_until: null,
    });
    const listed = await transport.call("list_attention", { session: session.slug, team_id: ana });
    expect(listed).toEqual({
      items: [],
      total: 0,
      needs_person: 0,
      kinds: [],
      dismissed: 1,
    });
    expect(await waiting(session, { team_id: ana, include_dismissed: true })).toMatchObject([
      { id, dismissed: true },
    ]);
    expect(await kinds(session, { team_id: bo })).toEqual(["ask"]);
    await transport.call("dismiss_attention", { id, undo: true, team_id: ana });
    expect(await kinds(session, { team_id: ana })).toEqual(["ask"]);

    const until = new Date(Date.now() + 60_000).toISOString();
    await transport.call("dismiss_attention", { id, until, team_id: ana });
    expect(await waiting(session, { team_id: ana, include_dismissed: true })).toMatchObject([
      { dismissed: true, snoozed_until: until },
    ]);
    await sql`UPDATE dismissals SET until = now() WHERE item = ${id}`;
    expect(await kinds(session, { team_id: ana })).toEqual(["ask"]);
  });

  it("[ATT-7] puts away several at once, each once, and restores them", async () => {
    const session = await createTestSession(transport);
    const team_id = await makePerson("Ana");
    for (const text of ["one?", "two?", "three?"]) await ask(session, text);
    const [first, second, third] = (await waiting(session)).map(({ id }) => id);
    const some = { id: first ?? "", others: [second ?? "", first ?? ""], team_id };
    await transport.call("dismiss_attention", some);
    expect((await waiting(session, { team_id })).map(({ id }) => id)).toEqual([third]);
    await transport.call("dismiss_attention", { ...some, undo: true });
    expect(await waiting(session, { team_id })).toHaveLength(3);
    const invalid = transport.call("dismiss_attention", { ...some, others: ["all of them"] });
    expect((await expectFailure(invalid)).code).toBe("bad_request");
  });

  it("[ATT-7] is for persons alone, and takes an item's id and a time to come", async () => {
    const session = await createTestSession(transport);
    const id = `ask:${session.sessionId}:1`;
    const refused = (input: InputOf<"dismiss_attention">) =>
      expectFailure(transport.call("dismiss_attention", input)).then(({ code }) => code);
    expect(await refused({ id })).toBe("unauthorized");
    expect(await refused({ id, team_id: session.convener })).toBe("forbidden");
    const team_id = await makePerson("Ana");
    expect(await refused({ id: "all of them", team_id })).toBe("bad_request");
    expect(await refused({ id, until: "2020-01-01T00:00:00.000Z", team_id })).toBe("bad_request");
    const until = new Date(Date.now() + 60_000).toISOString();
    expect(await refused({ id, until, undo: true, team_id })).toBe("bad_request");
    const longest = id.padEnd(limits.attentionIdCharsMax, "1");
    expect(await transport.call("dismiss_attention", { id: longest, team_id })).toMatchObject({
      dismissed: true,
    });
    expect(await refused({ id: `${longest}1`, team_id }), "attentionIdCharsMax").toBe("bad_request");
  });
});
