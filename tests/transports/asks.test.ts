import type { InputOf } from "@merkle/wire";
import { beforeAll, describe, expect, it } from "vitest";
import { createTestSession, expectFailure } from "../kit/session.js";
import { getSharedBroker, type SharedBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

type Post = Omit<InputOf<"post_message">, "session_id" | "team_id">;

let broker: SharedBroker;
let transport: TransportClient;
beforeAll(async () => {
  broker = await getSharedBroker();
  transport = await brokerTransports.rest(broker.url);
});

/** Creates a session. Its message 1 is an ask by Atlas about where secrets belong. */
async function ask(options?: string[]) {
  const { sessionId: session_id, convener: atlas, join } = await createTestSession(transport);
  const post = (team_id: string, input: Post) =>
    transport.call("post_message", { session_id, team_id, ...input });
  await post(atlas, { content: { text: "Where?", kind: "ask", ...(options && { options }) } });
  const { credential: birch } = await join("Birch");
  const answer = (team_id: string, text: string, more: Partial<Post> = {}) =>
    post(team_id, { content: { text, answer: text }, reply_to: 1, ...more });
  const chats = async () => {
    const { messages } = await transport.call("get_history", { session_id });
    return messages.filter(({ type }) => type === "chat");
  };
  return { session_id, atlas, birch, post, answer, chats };
}

describe("an ask", () => {
  it("[SEND-11] is settled by the first answer, which is stored as the option is written", async () => {
    const { atlas, birch, answer, post, chats } = await ask(["Vault", "env file"]);
    const { cursor } = await answer(birch, "VAULT");
    expect((await chats()).at(-1)).toMatchObject({
      sequence: cursor,
      reply_to: 1,
      content: { text: "VAULT", answer: "Vault" },
    });
    const second = await expectFailure(answer(atlas, "env file"));
    expect(second).toMatchObject({ code: "conflict", details: { answered_by: "Birch", sequence: cursor } });
    expect(second.message).toContain("Birch");
    await post(atlas, { content: { text: "I object" }, reply_to: 1 });
    expect(await chats()).toHaveLength(3);
  });

  it("[SEND-11] without options takes any answer; a repeated key gives the first result again", async () => {
    const { birch, answer, chats } = await ask();
    const keyed = { idempotency_key: "k" };
    const first = await answer(birch, "In a drawer", keyed);
    expect(await answer(birch, "In a drawer", keyed)).toEqual(first);
    expect(await expectFailure(answer(birch, "On the desk", keyed))).toMatchObject({ code: "conflict" });
    expect(await chats()).toHaveLength(2);
  });

  it("[SEND-10] an answer to no ask, or outside of its options, is refused with what would do", async () => {
    const { session_id, atlas, birch, answer, post, chats } = await ask(["Vault", "env file"]);
    const refused = await expectFailure(answer(birch, "drawer"));
    expect(refused).toMatchObject({ code: "bad_request", details: { options: ["Vault", "env file"] } });
    expect(refused.message).toContain('"Vault", "env file"');
    const { cursor } = await post(birch, { content: { text: "Hm", kind: "decision" } });
    const joined = (await transport.call("get_history", { session_id })).messages.find(({ event }) => event);
    for (const [input, code] of [
      [{ content: { text: "Vault", answer: "Vault" } }, "bad_request"],
      [{ content: { text: "Vault", answer: "Vault" }, reply_to: cursor }, "bad_request"],
      [{ content: { text: "Vault", answer: "Vault" }, reply_to: joined?.sequence }, "bad_request"],
      [{ content: { text: "Vault", answer: "Vault" }, reply_to: 99 }, "not_found"],
      [{ content: { text: "Vault", answer: "Vault", kind: "ask" }, reply_to: 1 }, "bad_request"],
      [{ content: { text: "Where?", options: ["a", "b"] } }, "bad_request"],
      [{ content: { text: "Where?", kind: "ask", options: ["a"] } }, "bad_request"],
    ] as [Post, string][]) {
      expect(await expectFailure(post(atlas, input)), JSON.stringify(input)).toMatchObject({ code });
    }
    expect(await chats()).toHaveLength(2);
  });

  it("[SEND-11] of twenty answers that race in one commit exactly one wins, and the others learn which", async () => {
    const { session_id, birch, answer, post, chats } = await ask(["a", "b"]);
    // Locks the feed until all answers have passed the first check, so that only the check within the feed's lock can
    // decide between them.
    const sql = connectTestDatabase(broker.databaseUrl);
    const answers = await sql.begin(async (tx) => {
      await tx`SELECT FROM feeds WHERE session_id = ${session_id} FOR NO KEY UPDATE`;
      const racing = Array.from({ length: 20 }, (_, n) => answer(birch, n % 2 === 0 ? "a" : "b"));
      const bystander = post(birch, { content: { text: "beside them" } });
      const waiting = () => sql`
        SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%append_messages%'`;
      await expect.poll(async () => (await waiting()).length, { interval: 20 }).toBeGreaterThan(0);
      return { settled: Promise.allSettled(racing), bystander };
    });
    const outcomes = await answers.settled;
    await answers.bystander;
    const won = outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value.cursor] : []));
    expect(won).toHaveLength(1);
    for (const each of outcomes) {
      if (each.status === "fulfilled") continue;
      expect(each.reason).toMatchObject({
        code: "conflict",
        details: { answered_by: "Birch", sequence: won[0] },
      });
    }
    const texts = await chats();
    expect(texts.filter(({ content }) => content["answer"] !== undefined)).toHaveLength(1);
    expect(texts).toHaveLength(3);
  });
});
