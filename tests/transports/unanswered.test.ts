import type { InputOf, OutputOf } from "@merkle/wire";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { joinMesh, startInviteBroker, type TestMember } from "../kit/members.js";
import { dateBack } from "../kit/message-age.js";
import { changeSettings, makePerson } from "../kit/persons.js";
import { createTestSession, type TestSession } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";

let transport: TransportClient;
let sql: ReturnType<typeof connectTestDatabase>;

const cleanup = createCleanup();
beforeAll(async () => {
  const broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
});

interface TestAsk {
  readonly session: TestSession;
  readonly number: number;
  status(): Promise<Pick<OutputOf<"message_status">, "open" | "unanswered">>;
  /** Lists the numbers of the asks that need a reader, and whether they are unanswered. */
  items(team_id?: string): Promise<[number | null, boolean][]>;
  reply(team_id: string, content: InputOf<"post_message">["content"]): Promise<unknown>;
}

/** Posts an ask, by default from Atlas to Birch, and dates it 11 minutes back. */
async function askLongAgo(
  session: TestSession,
  input: Partial<InputOf<"post_message">> = { to: "Birch" },
): Promise<TestAsk> {
  const { sessionId: session_id, slug } = session;
  const own = { session_id, team_id: session.convener };
  const content = { text: "Which key?", kind: "ask" as const };
  const { cursor: number } = await transport.call("post_message", { ...own, content, ...input });
  await dateBack(sql, { sessionId: session_id, sequence: number }, 11);
  return {
    session,
    number,
    async status() {
      const { open, unanswered } = await transport.call("message_status", { session_id, message: number });
      return { open, unanswered };
    },
    async items(team_id) {
      const reader = team_id === undefined ? {} : { team_id };
      const { items } = await transport.call("list_attention", { session: slug, ...reader });
      return items.filter(({ kind }) => kind === "ask").map((item) => [item.sequence, item.unanswered]);
    },
    reply: (team_id, content) =>
      transport.call("post_message", { session_id, team_id, content, reply_to: number }),
  };
}

async function startPair() {
  const session = await createTestSession(transport);
  return { session, birch: (await session.join("Birch")).credential };
}

describe("an ask", () => {
  it("[ATT-15] [DELIVER-14] is open until someone replies, and unanswered once it is as old as the setting says", async () => {
    const { session, birch } = await startPair();
    const asked = await askLongAgo(session);
    expect(await asked.status()).toEqual({ open: true, unanswered: true });
    const fresh = await transport.call("post_message", {
      ...{ session_id: session.sessionId, team_id: session.convener },
      ...{ content: { text: "And which vault?", kind: "ask" }, to: "Birch" },
    });
    const status = { session_id: session.sessionId, message: fresh.cursor };
    expect(await transport.call("message_status", status)).toMatchObject({ open: true, unanswered: false });
    expect(await asked.items()).toEqual([[asked.number, true]]);
    await asked.reply(birch, { text: "vault", answer: "vault" });
    expect(await asked.status()).toEqual({ open: false, unanswered: false });
    expect(await asked.items()).toEqual([]);
  });

  it("[ATT-15] counts as answered by a plain reply, but not by one of its author", async () => {
    const { session, birch } = await startPair();
    const asked = await askLongAgo(session);
    await asked.reply(session.convener, { text: "It is urgent." });
    expect(await asked.status()).toEqual({ open: true, unanswered: true });
    await asked.reply(birch, { text: "I do not know." });
    expect(await asked.status()).toEqual({ open: false, unanswered: false });
    expect(await asked.items()).toEqual([]);
  });

  it("[ATT-3] [ATT-15] to everyone still waits for a human after a plain reply, but is not unanswered", async () => {
    const { session, birch } = await startPair();
    const asked = await askLongAgo(session, {});
    expect(await asked.items()).toEqual([[asked.number, true]]);
    await asked.reply(birch, { text: "Ask Ana." });
    expect(await asked.items()).toEqual([[asked.number, false]]);
  });

  it("[ATT-15] of a person is listed for that person alone", async () => {
    const { session } = await startPair();
    const [ana, bo] = [await makePerson(transport, "Ana"), await makePerson(transport, "Bo")];
    const asked = await askLongAgo(session, { team_id: ana.person_id, to: "Birch" });
    expect(await asked.items(ana.person_id)).toEqual([[asked.number, true]]);
    expect(await asked.items(bo.person_id)).toEqual([]);
  });

  it("[ATT-15] [DELIVER-14] is not unanswered when its text was removed, and no other message ever is", async () => {
    const { session } = await startPair();
    const asked = await askLongAgo(session);
    const remark = await askLongAgo(session, { content: { text: "By the way" } });
    expect(await remark.status()).toEqual({ open: false, unanswered: false });
    await transport.call("redact_message", {
      ...{ session_id: session.sessionId, team_id: session.convener, sequence: asked.number },
    });
    expect(await asked.status()).toEqual({ open: false, unanswered: false });
    expect(await asked.items()).toEqual([]);
  });
});

describe("what else is asked", () => {
  it("[ATT-15] a task in review is unanswered when it is as old as the setting says", async () => {
    const { session, birch } = await startPair();
    const { sessionId: session_id } = session;
    const own = { session_id, team_id: birch };
    const { person_id: team_id } = await makePerson(transport, "Ana");
    const check = { reviewer: "Ana" };
    const { task } = await transport.call("create_task", { session_id, team_id, title: "Rotate", check });
    await transport.call("claim_task", { ...own, task });
    await transport.call("finish_task", { ...own, task });
    const review = async () => {
      const { items } = await transport.call("list_attention", { session: session.slug });
      return items.map(({ kind, unanswered }) => [kind, unanswered]);
    };
    expect(await review()).toEqual([["in_review", false]]);
    await sql`UPDATE tasks SET updated_at = updated_at - interval '11 minutes' WHERE session_id = ${session_id}`;
    expect(await review()).toEqual([["in_review", true]]);
  });
});

it("[ATT-17] a task that an agent of the session reviews needs a person once it is unanswered, or when that agent has left", async () => {
  const { session, birch } = await startPair();
  const { sessionId: session_id } = session;
  const own = { session_id, team_id: birch };
  const cedar = { session_id, team_id: (await session.join("Cedar")).credential };
  const { person_id: team_id } = await makePerson(transport, "Ana");
  const review = async (reviewer: string) => {
    const check = { reviewer };
    const { task } = await transport.call("create_task", { session_id, team_id, title: "Rotate", check });
    await transport.call("claim_task", { ...own, task });
    await transport.call("finish_task", { ...own, task });
  };
  const needing = async () => {
    const { items } = await transport.call("list_attention", { session: session.slug });
    return items.map(({ number, needs_person }) => [number, needs_person]);
  };
  await review("cedar");
  await review("Birch");
  expect(await needing()).toEqual([
    [1, false],
    [2, true],
  ]);
  await sql`UPDATE tasks SET updated_at = updated_at - interval '11 minutes' WHERE session_id = ${session_id} AND number = 1`;
  expect(await needing()).toContainEqual([1, true]);
  await review("Cedar");
  expect(await needing()).toContainEqual([3, false]);
  await transport.call("leave_session", cedar);
  expect(await needing()).toContainEqual([3, true]);
});

describe("the setting", () => {
  it("[SET-1] [ATT-15] unanswered_after_s says after how long, and 0 for never", async () => {
    const { session } = await startPair();
    const asked = await askLongAgo(session);
    const isUnansweredAfter = async (unanswered_after_s: number) => {
      await changeSettings(transport, { settings: { unanswered_after_s } });
      return (await asked.status()).unanswered;
    };
    expect(await isUnansweredAfter(3_600)).toBe(false);
    expect(await isUnansweredAfter(0)).toBe(false);
    expect(await isUnansweredAfter(60)).toBe(true);
  });
});

describe("with members", () => {
  it("[ATT-15] an agent's ask is listed for the member whose agent it is", async () => {
    const { broker, admin } = await startInviteBroker(cleanup);
    const members = connectTestDatabase(broker.databaseUrl, cleanup);
    const created = await admin.call("create_session", { title: "Keys", creator_team_name: "Atlas" });
    const own = { session_id: created.session_id, team_id: created.team_id };
    await admin.call("join_session", { session_id: created.session_id, team_name: "Birch" });
    const content = { text: "Which key?", kind: "ask" as const };
    const { cursor } = await admin.call("post_message", { ...own, content, to: "Birch" });
    await dateBack(members, { sessionId: own.session_id, sequence: cursor }, 11);
    const list = async (member: TestMember) => {
      const { person_id: team_id } = await member.call("create_person", { name: "Me" });
      return (await member.call("list_attention", { team_id })).items.map(({ sequence }) => sequence);
    };
    expect(await list(admin)).toEqual([cursor]);
    const { link } = await admin.call("create_invite", {});
    expect(await list(await joinMesh(broker.url, { invite: link, name: "Bo" }, cleanup))).toEqual([]);
  });
});
