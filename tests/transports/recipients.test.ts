import { randomUUID } from "node:crypto";
import type { InputOf, OutputOf } from "@merkle/wire";
import { beforeAll, describe, expect, it } from "vitest";
import { createTestSession, expectFailure } from "../kit/session.js";
import { getSharedBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

type Posted = OutputOf<"post_message">;
type Post = Omit<InputOf<"post_message">, "session_id" | "team_id">;

let transport: TransportClient;
beforeAll(async () => {
  const broker = await getSharedBroker();
  transport = await brokerTransports.rest(broker.url);
});

/** Creates a session with three teams: Atlas, Birch with two peers, and Cedar without a named peer. */
async function gather() {
  const session = await createTestSession(transport);
  const { sessionId: session_id, convener: atlas } = session;
  const join = (input: Partial<InputOf<"join_session">>) =>
    transport.call("join_session", { session_id, team_name: "Birch", ...input });
  const cedar = await session.join("Cedar");
  const first = await join({ peer_name: "bo", groups: ["backend:lead"], session_key: sessionKey });
  const second = await join({ team_id: first.team_id, peer_name: "bea", groups: ["backend/db"] });
  const post = (team_id: string, input: Post) =>
    transport.call("post_message", { session_id, team_id, ...input });
  const read = async (sequence: number) => {
    const { messages } = await transport.call("get_history", { session_id, before_cursor: sequence + 1 });
    return messages.at(-1);
  };
  const head = async () => (await transport.call("get_session", { session_id })).last_sequence;
  return {
    session_id,
    atlas,
    cedar: cedar.credential,
    bo: first.peer_id ?? "",
    bea: second.peer_id ?? "",
    post,
    read,
    head,
  };
}

const sessionKey = `${"k".repeat(43)}=`;
const hi = { text: "hi" };

function reached({ recipients }: Posted): string[] | undefined {
  return recipients?.map(({ team, peer }) => (peer === null ? team : `${team}/${peer}`));
}

describe("a message to some", () => {
  it("[SEND-1] says from whom and to whom it is, and its answer names exactly the peers that it reaches", async () => {
    const { atlas, bo, post, read } = await gather();
    const open = await post(atlas, { content: hi });
    expect(open.recipients).toBeUndefined();
    const posted = await post(bo, {
      content: hi,
      to: ["@BACKEND", "atlas"],
      priority: "low",
      reply_to: open.cursor,
    });
    expect(reached(posted)).toEqual(["Atlas", "Birch/bea"]);
    expect(await read(posted.cursor)).toMatchObject({
      id: posted.message_id,
      from: { team: "Birch", peer: "bo", human: false },
      to: ["@backend", "Atlas"],
      priority: "low",
      reply_to: open.cursor,
      content: hi,
    });
    expect(await read(open.cursor)).toMatchObject({ from: { team: "Atlas", human: false }, to: ["*"] });
    expect((await post(bo, { content: hi, to: "@all" })).recipients).toBeUndefined();
  });

  it("[SEND-1] send_message posts the same, from its own fields", async () => {
    const { session_id, atlas, cedar, read } = await gather();
    const to = "birch/Bea";
    const sent = await transport.call("send_message", {
      session_id,
      team_id: cedar,
      to,
      message: "hi",
      priority: "now",
    });
    expect(reached(sent)).toEqual(["Birch/bea"]);
    expect(await read(sent.cursor)).toMatchObject({ to: ["Birch/bea"], priority: "now", content: hi });
    const all = await transport.call("send_message", { session_id, team_id: atlas, to: "*", message: "hi" });
    expect(all.recipients).toBeUndefined();
  });

  it("[SEND-2] reaches who is there when it is posted: not who comes later, and still who leaves", async () => {
    const { session_id, atlas, bo, bea, cedar, post } = await gather();
    const posted = await post(atlas, { content: hi, to: "@backend" });
    expect(reached(posted)).toEqual(["Birch/bo", "Birch/bea"]);
    await transport.call("join_group", { session_id, team_id: cedar, name: "backend" });
    await transport.call("leave_session", { session_id, team_id: bea });
    const later = await post(atlas, { content: hi, to: "@backend" });
    expect(reached(later)).toEqual(["Cedar", "Birch/bo"]);
    expect(reached(await post(bo, { content: hi, to: "@backend" }))).toEqual(["Cedar"]);
  });

  it("[SEND-4] somebody who is not there is answered with who is, and nothing is posted", async () => {
    const { session_id, atlas, bo, cedar, post, head } = await gather();
    await transport.call("leave_session", { session_id, team_id: cedar });
    const before = await head();
    for (const [to, code] of [
      ["nobody", "not_found"],
      ["@nobody", "not_found"],
      ["Cedar", "not_found"],
      [["bo", "nobody"], "not_found"],
      ["atlas", "bad_request"],
      [[], "bad_request"],
      [" ", "bad_request"],
    ] as const) {
      const failure = await expectFailure(
        post(atlas, { content: hi, to: typeof to === "string" ? to : [...to] }),
      );
      expect(failure, String(to)).toMatchObject({ code });
      if (code !== "not_found") continue;
      expect(failure.details["there"]).toEqual(["Birch/bo", "Birch/bea", "@backend", "@backend/db"]);
    }
    expect(await expectFailure(post(bo, { content: hi, reply_to: before + 1 }))).toMatchObject({
      code: "not_found",
    });
    expect(await head()).toBe(before);
  });

  it("[SEND-4] a closed session is told of before a recipient that there is none of", async () => {
    const { session_id, atlas, post } = await gather();
    await transport.call("conclude_session", { session_id, team_id: atlas, summary_section: "Done." });
    expect(await expectFailure(post(atlas, { content: hi, to: "nobody" }))).toMatchObject({
      code: "session_closed",
    });
  });
});

describe("a reply without recipients", () => {
  it("[SEND-12] is for the author of the message that it replies to, and everyone can read it", async () => {
    const { atlas, bo, bea, cedar, post, read } = await gather();
    const ask = await post(bo, { content: { text: "Which?", kind: "ask" } });
    const reply = await post(atlas, { content: hi, reply_to: ask.cursor });
    expect(reached(reply)).toEqual(["Birch/bo"]);
    expect(await read(reply.cursor)).toMatchObject({ to: ["Birch/bo"], reply_to: ask.cursor });
    const answer = await post(cedar, { content: { text: "this", answer: "this" }, reply_to: ask.cursor });
    expect(reached(answer)).toEqual(["Birch/bo"]);
    expect(reached(await post(bea, { content: hi, reply_to: answer.cursor }))).toEqual(["Cedar"]);
  });

  it("[SEND-12] is for whom it names, if it names somebody", async () => {
    const { atlas, bo, post } = await gather();
    const { cursor } = await post(bo, { content: hi });
    const reply = (to: string) => post(atlas, { content: hi, reply_to: cursor, to });
    expect(reached(await reply("bea"))).toEqual(["Birch/bea"]);
    expect((await reply("*")).recipients).toBeUndefined();
  });

  it("[SEND-12] is for everyone if it decides, or replies to its author, to an event or to who has left", async () => {
    const { session_id, atlas, bo, post } = await gather();
    const { cursor } = await post(bo, { content: hi });
    const everyone = async (team_id: string, input: Post) =>
      expect((await post(team_id, input)).recipients).toBeUndefined();
    await everyone(atlas, { content: { text: "this", kind: "decision" }, reply_to: cursor });
    await everyone(bo, { content: hi, reply_to: cursor });
    await everyone(atlas, { content: hi, reply_to: 1 });
    await transport.call("leave_session", { session_id, team_id: bo });
    await everyone(atlas, { content: hi, reply_to: cursor });
  });

  it("[SEND-12] [IDEM-8] comes with its key once, also when its recipient has left", async () => {
    const { session_id, atlas, bo, post } = await gather();
    const { cursor } = await post(bo, { content: hi });
    const keyed = { content: hi, reply_to: cursor, idempotency_key: "k" };
    const first = await post(atlas, keyed);
    await transport.call("leave_session", { session_id, team_id: bo });
    const { message_id } = first;
    expect(await post(atlas, keyed)).toMatchObject({ message_id });
    expect(await post(atlas, { ...keyed, to: "bo" })).toMatchObject({ message_id });
    expect(await expectFailure(post(atlas, { ...keyed, to: "*" }))).toMatchObject({ code: "conflict" });
  });
});

describe("a key", () => {
  it("[IDEM-8] gives the first message again, however its recipients are written, also when they have left", async () => {
    const { session_id, atlas, bo, bea, post } = await gather();
    const keyed = {
      content: hi,
      to: ["bo", "bea"],
      priority: "now",
      reply_to: 1,
      idempotency_key: "k",
    } as const;
    const first = await post(atlas, { ...keyed, to: [...keyed.to] });
    await transport.call("leave_session", { session_id, team_id: bo });
    await transport.call("leave_session", { session_id, team_id: bea });
    for (const to of [
      ["bo", "bea"],
      ["BEA", "birch/bo"],
      [sessionKey, "bea", "Bo"],
    ]) {
      const again = await post(atlas, { ...keyed, to });
      expect(again).toMatchObject({ message_id: first.message_id, cursor: first.cursor, at: first.at });
      expect(reached(again)).toEqual(["Birch/bo", "Birch/bea"]);
    }
    const { messages } = await transport.call("get_history", { session_id });
    expect(messages.filter(({ type }) => type === "chat")).toHaveLength(1);
  });

  it("[IDEM-8] with another text, recipient, priority or reply is answered 409, and nothing is posted", async () => {
    const { atlas, post, head } = await gather();
    const keyed = { content: hi, to: "bo", reply_to: 1, idempotency_key: "k" };
    await post(atlas, keyed);
    await post(atlas, { content: hi, idempotency_key: "open" });
    const before = await head();
    for (const other of [
      { ...keyed, content: { text: "other" } },
      { ...keyed, content: { text: "hi", kind: "decision" as const } },
      { ...keyed, to: "bea" },
      { ...keyed, to: ["bo", "bea"] },
      { ...keyed, to: "*" },
      { ...keyed, priority: "low" as const },
      { ...keyed, reply_to: 2 },
      { content: hi, idempotency_key: "k" },
      { ...keyed, idempotency_key: "open" },
      { content: hi, priority: "now" as const, idempotency_key: "open" },
    ]) {
      expect(await expectFailure(post(atlas, other)), JSON.stringify(other)).toMatchObject({
        code: "conflict",
      });
    }
    expect(await head()).toBe(before);
    await post(atlas, { content: hi, to: "@all", idempotency_key: "open" });
    expect(await head()).toBe(before);
  });

  it("[IDEM-3] of post_message is another one for send_message, and for another peer of the team", async () => {
    const { session_id, bo, bea, post } = await gather();
    const keyed = { to: "Cedar", idempotency_key: "k" };
    const ids = [
      (await post(bo, { ...keyed, content: hi })).message_id,
      (await post(bea, { ...keyed, content: hi })).message_id,
      (await transport.call("send_message", { session_id, team_id: bo, message: "hi", ...keyed })).message_id,
    ];
    expect(new Set(ids).size).toBe(3);
  });

  it("[FEED-5] twenty at once are one message to some", async () => {
    const { atlas, post, head } = await gather();
    const before = await head();
    const keyed = { content: hi, to: "@backend", idempotency_key: randomUUID() };
    const posted = await Promise.all(Array.from({ length: 20 }, () => post(atlas, keyed)));
    expect(new Set(posted.map(({ message_id }) => message_id)).size).toBe(1);
    for (const each of posted) expect(reached(each)).toEqual(["Birch/bo", "Birch/bea"]);
    expect(await head()).toBe(before + 1);
  });
});
