import { openDatabase, purgeReceipts, readReceipts } from "@merkle/db";
import { connect } from "@merkle/wire/client";
import { limits } from "@merkle/wire/limits";
import postgres from "postgres";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createCleanup } from "../kit/cleanup.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
});

/**
 * Returns a function that reads as an agent with receipts. If there may be a proxy in between, the connection does not
 * prove which messages were read.
 */
function createReader(session_id: string): (team_id: string) => Promise<unknown> {
  const receipts = new Map<string, string>();
  return async (team_id) => {
    const { receipt } = await transport.call("check_messages", {
      ...{ session_id, team_id, receipt: receipts.get(team_id) ?? "none" },
    });
    if (receipt !== undefined) receipts.set(team_id, receipt);
  };
}

async function startSession() {
  const session = await createTestSession(transport);
  const { sessionId: session_id, convener } = session;
  return {
    session_id,
    convener,
    async join(team_name: string, peer_name: string, more: object = {}): Promise<string> {
      const input = { session_id, team_name, peer_name, ...more };
      return (await transport.call("join_session", input)).peer_id ?? "";
    },
    say: (text: string, more: object = {}) =>
      transport.call("post_message", { session_id, team_id: convener, content: { text }, ...more }),
    check: createReader(session_id),
    status: (message: number) => transport.call("message_status", { session_id, message }),
  };
}

it("[DELIVER-9] a message lists the peers that it reaches; it is delivered once a peer has acknowledged it, and stays so", async () => {
  const { session_id, convener, join, say, check, status } = await startSession();
  const birch = await transport.call("join_session", { session_id, team_name: "Birch", peer_name: "oak" });
  await join("Birch", "ash", { team_id: birch.team_id });
  const oak = birch.peer_id ?? "";
  const posted = await say("for Birch", { to: "Birch" });
  const unread = { team: "Birch", human: false, connected: false, wake: [], delivered: false };
  expect(posted.recipients).toMatchObject([
    { ...unread, peer: "oak", status: "active", declared: null, delivered_at: null },
    { ...unread, peer: "ash" },
  ]);
  const { cursor } = posted;
  await check(oak);
  expect(await status(cursor)).toMatchObject({ message: cursor, delivered: 0, answered: null });
  const before = Date.now();
  await check(oak);
  await expect
    .poll(async () => (await status(cursor)).recipients[0])
    .toMatchObject({ peer: "oak", delivered: true, delivered_at: expect.any(String) });

  const delivered = await status(cursor);
  expect(delivered).toMatchObject({ delivered: 1, recipients: [{}, { peer: "ash", delivered: false }] });
  const at = Date.parse(delivered.recipients[0]?.delivered_at ?? "");
  expect(at).toBeGreaterThanOrEqual(before - 1_000);
  expect(at).toBeLessThanOrEqual(Date.now() + 1_000);
  await say("later", { to: "oak" });
  await check(oak);
  await check(oak);
  await transport.call("leave_session", { session_id, team_id: oak });
  await broker.restart();
  expect((await status(cursor)).recipients[0]).toMatchObject({
    peer: "oak",
    status: "disconnected",
    delivered: true,
    delivered_at: delivered.recipients[0]?.delivered_at,
  });
  expect(await expectFailure(status(cursor + 99))).toMatchObject({ code: "not_found" });
  expect(
    await expectFailure(
      transport.call("message_status", { session_id, team_id: `${convener}x`, message: 1 }),
    ),
  ).toMatchObject({ code: "unauthorized" });
});

it("[DELIVER-10] a message to everyone lists who was there when it was posted, but its author", async () => {
  const { session_id, join, say, status } = await startSession();
  const oak = await join("Birch", "oak");
  const gone = await join("Cedar", "elm");
  await transport.call("leave_session", { session_id, team_id: gone });
  const { cursor } = await say("to all");
  await join("Dana", "fir");
  const named = async (message: number) =>
    (await status(message)).recipients.map(({ peer, team }) => peer ?? team);
  expect(await named(cursor)).toEqual(["oak"]);
  await transport.call("leave_session", { session_id, team_id: oak });
  expect(await named(cursor)).toEqual(["oak"]);
  // An event has a delivery status like any other message.
  expect(await named(1)).toEqual(["Atlas"]);
});

it("[DELIVER-11] wake names what works at this moment: a parked wait, or what a connected client says of itself", async () => {
  const { session_id, join, say } = await startSession();
  const oak = await join("Birch", "oak", { capabilities: { wake: ["inbox", "hooks", "wait"] } });
  const wake = async () => (await say("awake?", { to: "oak", priority: "low" })).recipients?.[0]?.wake;
  expect(await wake()).toEqual([]);
  const client = connect({ url: broker.url, WebSocket });
  onTestFinished(() => client.close());
  const inbox = client.inbox({ session: session_id, teamId: oak, onMessage: () => undefined });
  await inbox.ready;
  expect(await wake()).toEqual(["inbox", "hooks"]);
  const read = { session_id, team_id: oak };
  const waiting = new AbortController();
  const { last_sequence } = await client.call("get_session", { session_id });
  const wait = client.call(
    "wait_for_messages",
    { ...read, since_cursor: last_sequence },
    { signal: waiting.signal },
  );
  wait.catch(() => undefined);
  await expect.poll(wake).toEqual(["wait"]);
  waiting.abort();
  await expect.poll(wake).toEqual(["inbox", "hooks"]);
});

it("[DELIVER-12] who answered an ask, with what, stands in its status", async () => {
  const { session_id, convener, join, status } = await startSession();
  const oak = await join("Birch", "oak");
  const content = { text: "Where to?", kind: "ask" as const, options: ["Vault", "Env"] };
  const { cursor } = await transport.call("post_message", { session_id, team_id: convener, content });
  expect((await status(cursor)).answered).toBeNull();
  const answer = await transport.call("post_message", {
    session_id,
    team_id: oak,
    content: { text: "the vault", answer: "vault" },
    reply_to: cursor,
  });
  expect((await status(cursor)).answered).toEqual({
    message: answer.cursor,
    by: "Birch/oak",
    answer: "Vault",
  });
});

it("[DELIVER-13] a person has got what they have read anywhere", async () => {
  const { session_id, say, status } = await startSession();
  const { person_id } = await makePerson(transport, "Ana");
  await transport.call("join_session", { session_id, team_id: person_id, team_name: "Ana" });
  const { cursor } = await say("for Ana", { to: "@humans" });
  expect((await status(cursor)).recipients).toMatchObject([{ team: "Ana", human: true, delivered: false }]);
  await transport.call("ack", { session_id, team_id: person_id, cursor });
  await expect.poll(async () => (await status(cursor)).delivered).toBe(1);
});

it("[DELIVER-8] receipts are forgotten after 30 days: then it is known that, and no longer when, it was delivered", async () => {
  const { session_id, join, say, check, status } = await startSession();
  const oak = await join("Birch", "oak");
  const { cursor } = await say("long ago", { to: "oak" });
  await check(oak);
  await check(oak);
  await expect.poll(async () => (await status(cursor)).recipients[0]?.delivered_at).not.toBeNull();
  const { cursor: later } = await say("since then", { to: "oak" });

  const sql = postgres(broker.databaseUrl, { max: 1 });
  await sql`UPDATE receipts SET at = at - make_interval(days => ${limits.receiptDays}) WHERE session_id = ${session_id}`;
  await sql.end();
  await check(oak);
  await check(oak);
  await expect.poll(async () => (await status(later)).delivered).toBe(1);
  const database = await openDatabase({ target: broker.databaseUrl });
  try {
    const [peerId = ""] = oak.split(".");
    await purgeReceipts(database.orm, limits.receiptDays + 1);
    const all = await readReceipts(database.orm, session_id, cursor, [peerId]);
    expect(all.get(peerId)?.getTime()).toBeLessThan(Date.now() - limits.receiptDays * 24 * 3_600_000);
    await purgeReceipts(database.orm, limits.receiptDays);
  } finally {
    await database.close();
  }
  expect((await status(cursor)).recipients[0]).toMatchObject({ delivered: true });
  const { recipients } = await status(later);
  expect(Date.parse(recipients[0]?.delivered_at ?? "")).toBeGreaterThan(Date.now() - 60_000);
});
