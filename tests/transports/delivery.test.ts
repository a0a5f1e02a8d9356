import { setTimeout as delay } from "node:timers/promises";
import type { InputOf, Message } from "@merkle/wire";
import { connect, type MerkleClient } from "@merkle/wire/client";
import { limits } from "@merkle/wire/limits";
import postgres from "postgres";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createCleanup } from "../kit/cleanup.js";
import { createMailReader, createTestSession, expectFailure, listTexts } from "../kit/session.js";
import { itOnOneBroker, startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
});

type Say = Partial<Pick<InputOf<"post_message">, "to" | "priority">>;

/**
 * Creates a session with its convener Atlas, the team Birch with the peer `oak` in @backend, and the team Cedar with
 * the peer `elm`.
 */
async function startSession() {
  const session = await createTestSession(transport);
  const { sessionId: session_id, convener } = session;
  const join = (team_name: string, peer_name: string, groups: string[] = []) =>
    transport.call("join_session", { session_id, team_name, peer_name, groups });
  const oak = await join("Birch", "oak", ["backend"]);
  const elm = await join("Cedar", "elm");
  const mailOf = (team_id: string) => createMailReader(transport, { session_id, team_id });
  return {
    session_id,
    convener,
    oak: { team_id: oak.peer_id ?? "", ...mailOf(oak.peer_id ?? "") },
    elm: { team_id: elm.peer_id ?? "", ...mailOf(elm.peer_id ?? "") },
    say: (text: string, how: Say = {}) =>
      transport.call("post_message", { session_id, team_id: convener, content: { text }, ...how }),
    peer: async (name: string) => {
      const { peers } = await transport.call("list_peers", { session_id });
      return peers.find((peer) => peer.name === name);
    },
  };
}

type Session = Awaited<ReturnType<typeof startSession>>;

async function parked(session: Session, name = "oak"): Promise<void> {
  await expect.poll(async () => (await session.peer(name))?.polling, { interval: 5 }).toBe(true);
}

function openClient(): MerkleClient {
  const client = connect({ url: broker.url, WebSocket });
  onTestFinished(() => client.close());
  return client;
}

function openInbox({ session_id, oak }: Session): { client: MerkleClient; brought: Message[] } {
  const client = openClient();
  const brought: Message[] = [];
  client.inbox({
    session: session_id,
    teamId: oak.team_id,
    onMessage: (message) => brought.push(message),
  });
  return { client, brought };
}

describe("what is delivered", () => {
  it("[DELIVER-1] waits, checks and inboxes bring what is for the peer; history and follow bring everything", async () => {
    const session = await startSession();
    const { session_id, oak, elm, say } = session;
    const { brought } = openInbox(session);
    const followed: Message[] = [];
    openClient().follow({ session: session_id, after: 0, onMessage: (message) => followed.push(message) });
    await say("to all");
    await say("to elm", { to: "elm" });
    await say("to backend", { to: "@backend" });
    await say("to Birch", { to: ["Birch"] });
    await transport.call("post_message", { session_id, team_id: oak.team_id, content: { text: "of oak" } });

    const forOak = ["team_joined", "to all", "to backend", "to Birch"];
    await expect.poll(() => listTexts(brought)).toEqual(forOak);
    expect(listTexts((await oak.check()).messages)).toEqual(forOak);
    const { messages } = await elm.wait();
    expect(listTexts(messages)).toEqual(["to all", "to elm", "of oak"]);
    expect(messages[1]).toMatchObject({ to: ["Cedar/elm"] });
    const all = ["team_joined", ...forOak.slice(0, 2), "to elm", ...forOak.slice(2), "of oak"];
    await expect.poll(() => listTexts(followed)).toEqual(all);
    const history = await transport.call("get_history", { session_id, team_id: elm.team_id });
    expect(listTexts(history.messages)).toEqual(all);
  });

  it("[DELIVER-3] next_cursor passes over what is for others; remaining and skipped count the caller's own mail alone", async () => {
    const session = await startSession();
    const { oak, say } = session;
    const { next_cursor: start } = await oak.wait();
    const long = "x".repeat(60 * 1024);
    for (let i = 0; i < 10; i += 1) {
      await say(long, { to: "oak" });
      await say("not for oak", { to: "elm" });
    }
    const first = await oak.wait({ since_cursor: start });
    expect(first.messages).toHaveLength(8);
    expect(first.remaining).toBe(2);
    const skipping = await oak.wait({ since_cursor: start + 18, timeout: 0 });
    expect(skipping).toMatchObject({ skipped: 1, messages: [{ sequence: start + 19 }] });
    const second = await oak.wait({ since_cursor: first.next_cursor });
    expect(second).toMatchObject({ next_cursor: start + 20 });
    expect(second.messages).toHaveLength(2);
    expect(second).not.toHaveProperty("remaining");
  });

  it("[DELIVER-5] ten thousands of messages for others cost neither a read each nor the reader's place", async () => {
    const session = await startSession();
    const { session_id, oak, say } = session;
    await oak.check();
    const { cursor } = await say("first", { to: "oak" });
    await oak.check();
    await oak.wait({ since_cursor: cursor, timeout: 0 });
    await broker.restartAfter(() => insertForOthers(session_id, 12_000));
    const { cursor: last } = await say("second", { to: "oak" });
    expect(last).toBe(cursor + 12_001);

    const page = await oak.wait();
    expect(listTexts(page.messages)).toEqual(["second"]);
    expect(page.next_cursor).toBe(last);
  });

  /** Inserts messages that are addressed to no peer in the session. */
  async function insertForOthers(sessionId: string, messages: number): Promise<void> {
    const sql = postgres(broker.databaseUrl, { max: 1 });
    try {
      await sql`
        INSERT INTO messages (session_id, sequence, id, type, posted_by_team_id, posted_by_peer_id, author_team,
                              recipients, content, salt, posted_at, reaches)
        SELECT session_id, last_sequence + n, gen_random_uuid(), 'chat', gen_random_uuid(), gen_random_uuid(),
               'Dana', '{elm}', '{"text":"for elm"}',
               decode(md5(n::text), 'hex'), last_posted_at, ARRAY[gen_random_uuid()]
        FROM feeds, generate_series(1, ${messages}) n WHERE session_id = ${sessionId}`;
      await sql`
        UPDATE feeds SET last_sequence = last_sequence + ${messages}, last_chat_sequence = last_sequence + ${messages}
        WHERE session_id = ${sessionId}`;
    } finally {
      await sql.end();
    }
  }

  it("[CURSOR-10] where nothing is unread, the peer's cursor passes over what is for others, also over a restart", async () => {
    const session = await startSession();
    const { oak, say } = session;
    const { next_cursor } = await oak.wait();
    await oak.wait({ timeout: 0 });
    const wait = oak.wait({ timeout: 2 });
    await parked(session);
    for (let i = 0; i < 5; i += 1) await say("not for oak", { to: "elm" });
    expect(await wait).toMatchObject({ messages: [], next_cursor });
    // On a slow machine the wait may end before the last message is posted.
    await oak.wait({ timeout: 0 });
    expect(await session.peer("oak")).toMatchObject({ last_read: next_cursor + 5 });
    await broker.restart();
    expect(await session.peer("oak")).toMatchObject({ last_read: next_cursor + 5 });
    await say("unread", { to: "oak" });
    await say("not for oak", { to: "elm" });
    await oak.wait();
    expect(await session.peer("oak")).toMatchObject({ last_read: next_cursor + 5 });
  });
});

describe("what ends a wait that blocks", () => {
  it("[DELIVER-4] chat of priority next or now does, dnd or not, and brings what came before; low, events and others' mail do not", async () => {
    const session = await startSession();
    const { session_id, oak, say } = session;
    await oak.check();
    await transport.call("set_status", { session_id, team_id: oak.team_id, status: "dnd" });
    for (const priority of ["next", "now"] as const) {
      await oak.check();
      const wait = oak.wait();
      await parked(session);
      await say("low", { to: "oak", priority: "low" });
      await say("for elm", { to: "elm", priority: "now" });
      await createEvent(session);
      const { messages: none } = await session.elm.wait({ timeout: 0 });
      expect(none.length).toBeGreaterThan(0);
      expect(await settledWithin(wait, 100)).toBe(false);
      await say(priority, { to: "@backend", priority });
      expect(listTexts((await wait).messages)).toEqual(["low", "topic_opened", priority]);
    }
  });

  it("[DELIVER-4] at its timeout it brings what came; a conclusion ends it; include_own lets anything end it", async () => {
    const session = await startSession();
    const { session_id, oak, say } = session;
    await oak.check();
    await oak.check();
    const timing = oak.wait({ timeout: 0.4 });
    await parked(session);
    await say("low", { priority: "low" });
    const timed = await timing;
    expect(listTexts(timed.messages)).toEqual(["low"]);
    expect(timed).not.toHaveProperty("idle_polls");

    const all = oak.wait({ include_own: true });
    await parked(session);
    await transport.call("post_message", {
      session_id,
      team_id: oak.team_id,
      content: { text: "of oak" },
      priority: "low",
    });
    expect(listTexts((await all).messages)).toEqual(["of oak"]);

    const last = oak.wait();
    await parked(session);
    await transport.call("conclude_session", {
      session_id,
      team_id: session.convener,
      summary_section: "Done.",
    });
    expect(await last).toMatchObject({ messages: [{ event: "session_concluded" }], session_closed: true });
  });

  it("[DELIVER-4] a team that comes to a convener who is alone wakes it; among few teams coming, going and metadata end every wait, among many the convener's", async () => {
    const { sessionId: session_id, convener } = await createTestSession(transport);
    const join = (team_name: string) => transport.call("join_session", { session_id, team_name });
    const polling = async () => {
      const { participants } = await transport.call("list_participants", { session_id });
      return participants.filter((each) => each.polling).map((each) => each.team_name);
    };
    /** Starts a wait for a team that has read everything. Returns the message that ends the wait. */
    const park = async (name: string, team_id: string) => {
      const { next_cursor: since_cursor } = await transport.call("check_messages", { session_id, team_id });
      const waiting = transport.call("wait_for_messages", { session_id, team_id, since_cursor });
      await expect.poll(polling, { interval: 5 }).toContain(name);
      return { brings: waiting.then(({ messages }) => listTexts(messages)) };
    };
    const alone = await park("Atlas", convener);
    const birch = await join("Birch");
    expect(await alone.brings).toEqual(["team_joined"]);
    const history = await transport.call("get_history", { session_id });
    expect(history.messages[0]).toMatchObject({ event: "team_joined", priority: "now" });

    const birchWaits = await park("Birch", birch.team_id);
    const cedar = await join("Cedar");
    expect(await birchWaits.brings).toEqual(["team_joined"]);
    const cedarWaits = await park("Cedar", cedar.team_id);
    const changed = { session_id, team_id: convener, title: "Another", reason: "scope" };
    await transport.call("update_session_metadata", changed);
    expect(await cedarWaits.brings).toEqual(["session_metadata_updated"]);

    // Tests the limit endsWaitsTeamsMax.
    const dana = await join("Dana");
    const danaWaits = await park("Dana", dana.team_id);
    const convenerWaits = await park("Atlas", convener);
    const elm = await join("Elm");
    expect(await convenerWaits.brings).toEqual(["team_joined"]);
    expect(await settledWithin(danaWaits.brings, 100)).toBe(false);
    await transport.call("leave_session", { session_id, team_id: elm.team_id });
    expect(await danaWaits.brings).toEqual(["team_joined", "team_left"]);
  });

  itOnOneBroker("each node counts its own waits")(
    "[DELIVER-4] such events end a peer's waits once in 5 s, then the wait that is parked",
    async () => {
      const session = await startSession();
      const { session_id, convener: team_id, oak } = session;
      const rename = (title: string) =>
        transport.call("update_session_metadata", { session_id, team_id, title, reason: "scope" });
      await oak.check();
      const first = oak.wait();
      await parked(session);
      const began = performance.now();
      await rename("First");
      const { next_cursor: since_cursor } = await first;
      const second = oak.wait({ since_cursor });
      await parked(session);
      await rename("Second");
      await rename("Third");
      expect(listTexts((await second).messages)).toContain("session_metadata_updated");
      // The measurement began before the first wait ended, so a slow machine can only lengthen the measured time.
      expect(performance.now() - began).toBeGreaterThan(limits.endsWaitsMsMin - 50);
    },
  );

  it("[DELIVER-6] what is unread when it begins comes at once, whatever its priority", async () => {
    const { oak, say } = await startSession();
    await oak.check();
    await say("low", { to: "oak", priority: "low" });
    expect(listTexts((await oak.wait()).messages)).toEqual(["low"]);
  });

  async function createEvent({ session_id, convener: team_id }: Session): Promise<void> {
    await transport.call("open_topic", { session_id, team_id, version: 0, text: "about all of it" });
  }

  async function settledWithin(call: Promise<unknown>, ms: number): Promise<boolean> {
    return Promise.race([call.then(() => true), delay(ms, false)]);
  }
});

describe("nudging", () => {
  it("[NUDGE-1] answers parked waits as at their timeout, asks clients for what they ran, and posts nothing", async () => {
    const session = await startSession();
    const { session_id, convener: team_id, oak, say } = session;
    await oak.check();
    await oak.check();
    await say("low", { to: "oak", priority: "low" });
    await oak.check();
    const nudge = () => transport.call("nudge", { session_id, team_id, to: ["Birch", "elm"] });
    expect((await nudge()).nudged).toMatchObject([
      { team: "Birch", peer: "oak", connected: false, reached: [] },
      { team: "Cedar", peer: "elm", connected: false, reached: [] },
    ]);

    const { client } = openInbox(session);
    client.onPush((push) => {
      if (push.type !== "nudge") return;
      expect(push).toMatchObject({ session_id, by: { name: "Atlas", human: false } });
      client.answerNudge(push.id, ["inbox", "channel"]);
    });
    await expect.poll(async () => (await session.peer("oak"))?.connected).toBe(true);
    expect((await nudge()).nudged[0]).toMatchObject({ connected: true, reached: ["inbox", "channel"] });

    await oak.check();
    const wait = oak.wait();
    await parked(session);
    expect((await nudge()).nudged[0]).toMatchObject({ reached: ["wait", "inbox", "channel"] });
    expect(await wait).toMatchObject({ messages: [], idle_polls: 1 });
    const { messages } = await transport.call("get_history", { session_id });
    expect(listTexts(messages)).toEqual(["team_joined", "team_joined", "low"]);
  });

  it("[NUDGE-2] a client that is lost, or does not answer in time, counts as not reached", async () => {
    const session = await startSession();
    const { session_id, convener: team_id } = session;
    const { client } = openInbox(session);
    client.onPush(() => {
      client.answerNudge("00000000-0000-4000-8000-000000000000", ["inbox"]);
    });
    await expect.poll(async () => (await session.peer("oak"))?.connected).toBe(true);
    const since = performance.now();
    const silent = await transport.call("nudge", { session_id, team_id, to: "oak" });
    // Timers can fire a fraction of a millisecond early.
    expect(performance.now() - since).toBeGreaterThan(limits.nudgeAnswerMsMax - 5);
    expect(silent.nudged).toMatchObject([{ connected: true, reached: [] }]);
    client.onPush(() => void client.close());
    const lost = await transport.call("nudge", { session_id, team_id, to: "oak" });
    expect(lost.nudged).toMatchObject([{ reached: [] }]);
  });

  it("[NUDGE-3] is refused to strangers, for nobody, and once the session is closed", async () => {
    const session = await startSession();
    const { session_id, convener: team_id } = session;
    const refusal = (input: object) =>
      expectFailure(transport.callRaw("nudge", { session_id, to: "oak", ...input }));
    expect(await refusal({})).toMatchObject({ code: "unauthorized" });
    expect(await refusal({ team_id, to: "nobody" })).toMatchObject({ code: "not_found" });
    expect(await refusal({ team_id, to: "Atlas" })).toMatchObject({ code: "bad_request" });
    expect(await refusal({ team_id, to: [] })).toMatchObject({ code: "bad_request" });
    await transport.call("conclude_session", { session_id, team_id, summary_section: "Done." });
    expect(await refusal({ team_id })).toMatchObject({ code: "session_closed" });
  });
});
