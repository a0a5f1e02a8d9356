import { EventEmitter, on } from "node:events";
import type { Message } from "@merkle/wire";
import { connect, type MerkleClient } from "@merkle/wire/client";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createCleanup } from "../../../../../tests/kit/cleanup.js";
import { startInviteBroker } from "../../../../../tests/kit/members.js";
import { expectFailure } from "../../../../../tests/kit/session.js";
import { startTestBroker, type TestBroker } from "../../../../../tests/kit/test-broker.js";
import { type TransportClient, transports } from "../../../../../tests/kit/transports.js";
import { lines, outcomes } from "./story.js";

describe("the demo room", () => {
  let broker: TestBroker;
  let rest: TransportClient;
  const cleanup = createCleanup();
  beforeAll(async () => {
    broker = await startTestBroker({ demoPace: 0 }, cleanup);
    rest = await transports.rest(broker.url);
  });

  /** Enters the demo mesh as a visitor who follows the feed from its first message. */
  async function visit() {
    const room = await rest.call("open_demo_room", {});
    const client: MerkleClient = connect({ url: broker.url, WebSocket, insecure: true, mesh: room.mesh });
    onTestFinished(() => client.close());
    const { person_id: team_id } = await client.call("create_person", { name: "Ana" });
    const feed = new EventEmitter<{ message: [Message] }>();
    const arrivals = on(feed, "message", { signal: AbortSignal.timeout(120_000) });
    const { session_id } = room;
    client.follow({
      session: session_id,
      after: 0,
      onMessage: (message) => void feed.emit("message", message),
    });
    const heard: Message[] = [];
    async function until(isWanted: (message: Message) => boolean): Promise<Message> {
      for (;;) {
        const { value } = await arrivals.next();
        const [message]: [Message] = value;
        heard.push(message);
        if (isWanted(message)) return message;
      }
    }
    return { client, room, me: { session_id, team_id }, heard, until };
  }

  const isAsk = ({ content }: Message) => content["kind"] === "ask";
  const isDecision = ({ content }: Message) => content["kind"] === "decision";
  const isEnd = ({ event }: Message) => event === "session_concluded";

  it("[DEMO-6] two agents argue, ask the visitor, and go on by the answer to a conclusion", async () => {
    const { client, room, me, heard, until } = await visit();
    const ask = await until(isAsk);
    expect(ask.content["options"]).toEqual(Object.keys(outcomes));
    expect(heard.map(({ content }) => content["text"])).toEqual(
      expect.arrayContaining([lines.proposal, lines.objection, lines.refusal]),
    );
    // These items belong to the demo mesh and must not appear in any other mesh.
    await expect
      .poll(async () => (await client.call("list_attention", {})).items)
      .toMatchObject([{ kind: "blocked", sequence: ask.sequence, options: ask.content["options"] }]);
    expect(await rest.call("list_sessions", { status: "all" })).toMatchObject({ sessions: [] });
    expect(await rest.call("list_attention", {})).toMatchObject({ total: 0 });
    expect(await rest.call("open_demo_room", {})).toEqual(room);

    const [answer = ""] = Object.keys(outcomes);
    const outcome = outcomes[answer];
    await client.call("post_message", {
      ...me,
      content: { text: answer, answer },
      reply_to: ask.sequence,
    });
    expect((await until(isDecision)).content["text"]).toBe(outcome?.decision);
    await until(isEnd);
    const { content } = await client.call("read_session_doc", { session_id: me.session_id });
    for (const part of [outcome?.client, outcome?.plan.trim(), outcome?.conclusion])
      expect(content).toContain(part);
    await expect.poll(() => rest.call("open_demo_room", {})).not.toEqual(room);
  });

  it("[DEMO-6] words of one's own are an answer, too", async () => {
    const { client, me, until } = await visit();
    await until(isAsk);
    await client.call("post_message", { ...me, content: { text: "Give them a week." } });
    expect((await until(isDecision)).content["text"]).toBe("As Ana says: “Give them a week.”");
    await until(isEnd);
    expect(await client.call("list_attention", {})).toMatchObject({ items: [] });
  });

  it("[DEMO-6] is not there where members alone are let in", async () => {
    const { admin } = await startInviteBroker(onTestFinished);
    const refusal = await expectFailure(admin.call("open_demo_room", {}));
    expect(refusal).toMatchObject({ code: "forbidden", message: expect.stringContaining("merkle demo") });
  });
});
