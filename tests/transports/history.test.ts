import type { InputOf, Message, OutputOf } from "@merkle/wire";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { getSharedBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

type Filter = Pick<InputOf<"get_history">, "types" | "kinds" | "team" | "q" | "thread">;

describe("reading a feed by what is wanted", () => {
  let transport: TransportClient;
  let rest: TransportClient;
  const cleanup = createCleanup();
  beforeAll(async () => {
    const broker = await getSharedBroker();
    transport = await brokerTransports.websocket(broker.url);
    rest = await brokerTransports.rest(broker.url);
    cleanup(transport.close);
  });

  /**
   * Creates messages of every kind from two teams, with events in between, and a thread: a message, a reply to it, and
   * a reply to that reply.
   */
  async function makeFeed() {
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: atlas } = session;
    const birch = (await session.join("Birch")).credential;
    const say = (team_id: string, content: InputOf<"post_message">["content"]) =>
      transport.call("post_message", { session_id, team_id, content });
    for (let round = 1; round <= 6; round += 1) {
      await say(atlas, { text: `Plain ${round}` });
      await say(birch, { text: `ÉTAT "${round}" 100%` });
      if (round % 2 === 0) await say(birch, { text: `Which ${round}?`, kind: "ask" });
      if (round % 3 === 0) await say(atlas, { text: `Settled ${round}`, kind: "decision" });
    }
    const reply = (team_id: string, reply_to: number, text: string) =>
      transport.call("post_message", { session_id, team_id, content: { text }, reply_to, to: "*" });
    const { cursor } = await reply(birch, 1, "Talk on");
    await reply(atlas, 2, "Of something else");
    await reply(atlas, cursor, "Talk further");
    await transport.call("update_session_metadata", {
      session_id,
      team_id: birch,
      title: "Another title",
      reason: "Scope grew",
    });
    const { messages } = await transport.call("get_history", { session_id });
    return { ...session, session_id, atlas, birch, messages };
  }

  async function walk(session_id: string, filter: Filter, direction: "older" | "newer"): Promise<number[]> {
    const found: number[] = [];
    let cursor: number | null | undefined = direction === "older" ? undefined : 0;
    while (cursor !== null) {
      const place: Partial<InputOf<"get_history">> =
        direction === "older" ? { before_cursor: cursor } : { after_cursor: cursor };
      const page: OutputOf<"get_history"> = await transport.call("get_history", {
        session_id,
        limit: 5,
        ...filter,
        ...place,
      });
      const numbers = page.messages.map(({ sequence }) => sequence);
      expect(numbers.length).toBeLessThanOrEqual(5);
      if (direction === "older") found.unshift(...numbers);
      else found.push(...numbers);
      cursor = direction === "older" ? page.next_cursor : page.newer_cursor;
    }
    return found;
  }

  it("[FEED-17] [FEED-18] pages of what is wanted, read either way, hold all of it and nothing else", async () => {
    const { session_id, messages } = await makeFeed();
    const kindOf = ({ type, content }: Message) => (type === "chat" ? (content["kind"] ?? "plain") : type);
    const isBirchs = (message: Message) =>
      message.from?.team === "Birch" || message["team"] === "Birch" || message["by"] === "Birch";
    const isOfTalk = ({ sequence, content }: Message) =>
      sequence === 1 || String(content["text"]).startsWith("Talk");
    const talk = messages.findLast(isOfTalk)?.sequence;
    const wanted: [Filter, (message: Message) => boolean][] = [
      [{}, () => true],
      [{ types: ["chat"] }, ({ type }) => type === "chat"],
      [{ types: ["system"] }, ({ type }) => type === "system"],
      [{ types: [] }, () => false],
      [{ types: ["chat"], kinds: ["ask"] }, (message) => kindOf(message) === "ask"],
      [{ kinds: ["ask", "decision"] }, (message) => kindOf(message) !== "plain"],
      [{ types: ["chat"], kinds: ["plain"] }, (message) => kindOf(message) === "plain"],
      [{ team: "bIRCH" }, isBirchs],
      [
        { team: "Birch", types: ["chat"], kinds: ["ask"] },
        (message) => isBirchs(message) && kindOf(message) === "ask",
      ],
      [{ q: "état" }, ({ content }) => String(content["text"]).startsWith("ÉTAT")],
      [{ q: '"3" 100%' }, ({ content }) => String(content["text"]).includes('"3"')],
      [{ q: "%" }, ({ content }) => String(content["text"]).includes("%")],
      [{ q: "SCOPE grew" }, ({ content }) => content["reason"] === "Scope grew"],
      [{ q: "reason" }, () => false],
      [{ thread: 1 }, isOfTalk],
      [{ thread: talk }, isOfTalk],
      [{ thread: talk, team: "Birch" }, (message) => isOfTalk(message) && isBirchs(message)],
      [{ thread: 9_999 }, () => false],
    ];
    for (const [filter, isWanted] of wanted) {
      const numbers = messages.filter(isWanted).map(({ sequence }) => sequence);
      expect(await walk(session_id, filter, "older"), JSON.stringify(filter)).toEqual(numbers);
      expect(await walk(session_id, filter, "newer"), JSON.stringify(filter)).toEqual(numbers);
    }
    const listed = await rest.call("get_history", {
      session_id,
      types: ["chat"],
      kinds: ["ask", "decision"],
    });
    expect(listed.messages).toHaveLength(5);
    expect(await expectFailure(transport.call("get_history", { session_id, team: "Cedar" }))).toMatchObject({
      code: "not_found",
    });
  });

  it("[FEED-17] a page around a message has it in the middle, where it is or would be", async () => {
    const { session_id, messages } = await makeFeed();
    const last = messages.length;
    const around = (place: number, more: object = {}) =>
      transport.call("get_history", { session_id, around: place, limit: 5, ...more });
    const numbers = (page: { messages: Message[] }) => page.messages.map(({ sequence }) => sequence);
    const page = await around(8);
    expect(numbers(page)).toEqual([6, 7, 8, 9, 10]);
    expect(page).toMatchObject({ next_cursor: 6, newer_cursor: 10, has_more: true, last_sequence: last });
    expect(await around(1)).toMatchObject({ next_cursor: null, has_more: false, newer_cursor: 3 });
    expect(await around(last)).toMatchObject({ newer_cursor: null });
    expect(numbers(await around(last + 500))).toEqual([last - 2, last - 1, last]);
    expect(numbers(await around(8, { limit: 1 }))).toEqual([8]);
    const asks = numbers(await around(8, { types: ["chat"], kinds: ["ask"] }));
    expect(asks).toEqual(
      messages.filter(({ content }) => content["kind"] === "ask").map((each) => each.sequence),
    );
    const both = { session_id, around: 3, after_cursor: 3 };
    expect(await expectFailure(transport.call("get_history", both))).toMatchObject({ code: "bad_request" });
  });

  it("[FEED-19] as of a time, the feed ends with what had been posted by then", async () => {
    const { session_id, messages } = await makeFeed();
    const at = messages[9]?.posted_at ?? "";
    const before = messages.filter(({ posted_at }) => posted_at <= at);
    const page = await transport.call("get_history", { session_id, at });
    expect(page.messages).toEqual(before);
    expect(page).toMatchObject({ last_sequence: before.length, newer_cursor: null });
    const long = await transport.call("get_history", { session_id, at: "2001-01-01T00:00:00.000Z" });
    expect(long).toMatchObject({ messages: [], last_sequence: 0, next_cursor: null, newer_cursor: null });
    const later = await transport.call("get_history", { session_id, at: "2999-01-01T00:00:00.000Z" });
    expect(later.last_sequence).toBe(messages.length);
  });

  it("[FEED-20] what a filter passed over was not handed out; an unfiltered page was", async () => {
    const { session_id, messages, ...session } = await makeFeed();
    const last = messages.length;
    const cedar = await session.join("Cedar");
    const dogwood = await transport.call("join_session", {
      session_id,
      team_name: "Dogwood",
      replay_from: 0,
    });
    await transport.call("get_history", { session_id, team_id: dogwood.team_id, types: ["system"] });
    const acked = await transport.call("ack", { session_id, team_id: dogwood.team_id, cursor: last });
    expect(acked.skipped).toBe(last);
    await session.post(session.atlas, "One more");
    await transport.call("get_history", { session_id, team_id: cedar.credential });
    const whole = await transport.call("ack", { session_id, team_id: cedar.credential, cursor: last + 3 });
    expect(whole.skipped).toBeUndefined();
  });
});
