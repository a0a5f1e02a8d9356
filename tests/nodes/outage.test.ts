import { connect } from "@merkle/wire/client";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { startNatsServer } from "../kit/nats-server.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { createTestDatabase } from "../kit/test-database.js";
import { holdInbox, startNodes, type TestNode } from "./start-nodes.js";

it("[NODE-3] [NODE-7] while the bus is down messages and state come with the sweeps and health says degraded; back up, with the hints again", {
  tags: "nats",
}, async () => {
  const nats = await startNatsServer();
  const { nodes } = await startNodes(2, { bus: nats.url });
  const [a, b] = nodes as [TestNode, TestNode];
  const session = await createTestSession(a.client);
  const { sessionId: session_id } = session;
  const birch = await session.join("Birch");
  const inbox = await holdInbox(b, session_id, birch.credential);
  const values: unknown[] = [];
  inbox.client.onPush((push) => {
    if (push.type === "state_change") values.push(push.value);
  });
  const set = (value: string) =>
    a.client.call("set_state", { session_id, team_id: session.convener, key: "build", value });

  await session.post(session.convener, "by hint");
  await set("first");
  await expect.poll(() => [inbox.texts, values]).toEqual([["by hint"], ["first"]]);
  expect(await degraded(b)).toBe(false);

  await nats.kill();
  await expect.poll(() => degraded(b)).toBe(true);
  await session.post(session.convener, "by sweep");
  const { last_sequence: after } = await a.client.call("get_history", { session_id });
  // A client may resume at another node from a cursor that this node has not seen yet.
  const moved = connect({ url: b.url, WebSocket });
  onTestFinished(() => moved.close());
  await moved.follow({ session: session_id, after, onMessage: () => undefined }).ready;
  await set("second");
  await expect.poll(() => [inbox.texts.at(-1), values.at(-1)]).toEqual(["by sweep", "second"]);

  await nats.start();
  await expect.poll(() => degraded(b)).toBe(false);
  await session.post(session.convener, "by hint again");
  await expect.poll(() => inbox.texts).toEqual(["by hint", "by sweep", "by hint again"]);
});

it("[NODE-4] [NODE-5] nodes list each other, and one that cannot work beside them does not start", async () => {
  const { nodes, databaseUrl } = await startNodes(2);
  const [a, b] = nodes as [TestNode, TestNode];
  const listed = async () =>
    (await b.client.call("get_health", {})).nodes.map(({ address, own }) => [address, own]);
  expect(await listed()).toEqual([
    [a.url, false],
    [b.url, true],
  ]);
  await expect(startTestBroker({ databaseUrl })).rejects.toMatchObject({ code: "not_alone" });
  await a.stop();
  await expect.poll(listed).toEqual([[b.url, true]]);

  const alone = await createTestDatabase();
  await startTestBroker({ databaseUrl: alone });
  await expect(startTestBroker({ databaseUrl: alone, bus: "postgres" })).rejects.toMatchObject({
    code: "not_alone",
  });
});

it("[NODE-13] a node that is stopped answers waits, sends its clients to the others, and ends", async () => {
  const { nodes } = await startNodes(2);
  const [a, b] = nodes as [TestNode, TestNode];
  await expect.poll(async () => (await a.client.call("get_health", {})).nodes.length).toBe(2);
  const session = await createTestSession(b.client);
  const { sessionId: session_id } = session;
  const birch = await session.join("Birch");
  const clients = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const client = connect({ url: a.url, WebSocket, retry: { baseMs: 10, capMs: 50 } });
      onTestFinished(() => client.close());
      await client.call("get_app_info", {});
      return client;
    }),
  );
  const wait = a.client.call("wait_for_messages", {
    ...{ session_id, team_id: birch.credential, since_cursor: birch.cursor },
  });
  await expect
    .poll(async () =>
      (await b.client.call("list_participants", { session_id })).participants.some(({ polling }) => polling),
    )
    .toBe(true);
  await Promise.all([a.stop(), wait]);
  expect((await wait).messages).toEqual([]);
  for (const client of clients) expect(client.state.status).not.toBe("open");
  await expectFailure(fetch(`${a.url}/health`));
});

async function degraded(node: TestNode): Promise<unknown> {
  return Object(await (await fetch(`${node.url}/health`)).json()).degraded;
}
