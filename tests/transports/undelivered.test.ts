import { limits } from "@merkle/wire/limits";
import { beforeAll, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makeRow } from "../kit/message-row.js";
import { changeSettings, makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure, type TestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: TestBroker;
let transport: TransportClient;
let sql: ReturnType<typeof connectTestDatabase>;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await transports.rest(broker.url);
  cleanup(() => transport.close());
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
});

const post = (session: TestSession, text: string, to?: string) =>
  transport.call("post_message", {
    session_id: session.sessionId,
    team_id: session.convener,
    content: { text },
    ...(to !== undefined && { to }),
  });

/** Reads and acknowledges all messages. */
async function read({ sessionId: session_id }: TestSession, team_id: string): Promise<void> {
  const { next_cursor } = await transport.call("wait_for_messages", { session_id, team_id, timeout: 0 });
  await transport.call("ack", { session_id, team_id, cursor: next_cursor });
}

async function undelivered({ slug }: TestSession, for_s = 0): Promise<string[]> {
  const { messages } = await transport.call("list_undelivered", { session: slug, for_s });
  return messages.map(({ text }) => text);
}

it("[ATT-12] a message counts as undelivered until one of those it is for has got it, and one for nobody never does", async () => {
  const session = await createTestSession(transport);
  await post(session, "to myself");
  expect(await undelivered(session)).toEqual([]);
  const [birch, cedar] = [await session.join("Birch"), await session.join("Cedar")];
  await post(session, "for all");
  await post(session, "for Cedar", "Cedar");
  expect(await undelivered(session)).toEqual(["for all", "for Cedar"]);
  expect(await undelivered(session, 60), "for so long it was not").toEqual([]);
  await read(session, birch.credential);
  await expect.poll(() => undelivered(session)).toEqual(["for Cedar"]);
  const { messages, total } = await transport.call("list_undelivered", { session: session.slug, for_s: 0 });
  expect({ messages, total }).toMatchObject({
    total: 1,
    messages: [{ session: session.slug, team: "Atlas", peer: null, to: ["Cedar"] }],
  });
  await read(session, cedar.credential);
  await expect.poll(() => undelivered(session)).toEqual([]);
  expect(await expectFailure(transport.call("list_undelivered", { session: "no-such" }))).toMatchObject({
    code: "not_found",
  });
});

it("[ATT-12] a person has got what the person read, in the session or not", async () => {
  const session = await createTestSession(transport);
  const { person_id: team_id } = await makePerson(transport, "Ana");
  const { sessionId: session_id } = session;
  await transport.call("post_message", { session_id, team_id, content: { text: "here" } });
  await post(session, "for Ana", "Ana");
  expect(await undelivered(session)).toEqual(["here", "for Ana"]);
  await transport.call("mark_read", { session_id, team_id });
  expect(await undelivered(session)).toEqual(["here"]);
});

it("[ATT-12] of each session an item tells how many there are, since the first, once they are as old as the setting says", async () => {
  const session = await createTestSession(transport);
  await session.join("Birch");
  const first = await post(session, "one");
  await post(session, "two");
  const items = async () => {
    const { items } = await transport.call("list_attention", { session: session.slug });
    return items.filter(({ kind }) => kind === "undelivered");
  };
  expect(await items()).toEqual([]);
  await changeSettings(transport, { settings: { undelivered_after_s: 1 } });
  await expect
    .poll(items)
    .toMatchObject([
      { id: `undelivered:${session.sessionId}:${first.cursor}`, sequence: first.cursor, number: 2, text: "" },
    ]);
});

it("[ATT-12] [LIMIT-1] a reply holds attentionItemsMax, the oldest, and counts the rest", async () => {
  const session = await createTestSession(transport);
  await session.join("Birch");
  const rows = Array.from({ length: limits.attentionItemsMax + 1 }, (_, index) =>
    makeRow(session.sessionId, { content: JSON.stringify({ text: String(index) }) }),
  );
  await sql`SELECT append_messages(${JSON.stringify(rows)}::text::json, true)`;
  const { messages, total } = await transport.call("list_undelivered", { session: session.slug, for_s: 0 });
  expect(total).toBe(limits.attentionItemsMax + 1);
  expect(messages.map(({ text }) => text)).toEqual(
    Array.from({ length: limits.attentionItemsMax }, (_, index) => String(index)),
  );
});
