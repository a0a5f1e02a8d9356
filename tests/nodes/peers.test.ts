import { openDatabase, purgeNodes } from "@merkle/db";
import { expect, it } from "vitest";
import { changeSettings } from "../kit/persons.js";
import { createTestSession, expectFailure, listTexts } from "../kit/session.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { holdInbox, startNodes, type TestNode } from "./start-nodes.js";

it("[NODE-6] a named peer that connects at another node is replaced where it was, and a nudge reaches it there", async () => {
  const { nodes } = await startNodes(2);
  const [a, b] = nodes as [TestNode, TestNode];
  const session = await createTestSession(a.client);
  const { sessionId: session_id } = session;
  const birch = await a.client.call("join_session", { session_id, team_name: "Birch", peer_name: "aspen" });
  const peer = birch.peer_id ?? "";
  const older = await holdInbox(a, session_id, peer);
  await expect.poll(() => connected(b, session_id)).toEqual({ aspen: true });
  const newer = await holdInbox(b, session_id, peer);
  await expect.poll(() => older.client.state).toMatchObject({ status: "closed" });
  expect(newer.client.state).toMatchObject({ status: "open" });
  await session.post(session.convener, "to whoever holds it");
  await expect.poll(() => newer.texts).toEqual(["to whoever holds it"]);
  await expect.poll(() => connected(a, session_id)).toEqual({ aspen: true });

  const own = { session_id, team_id: session.convener };
  const { next_cursor: since_cursor } = await a.client.call("check_messages", own);
  const waiting = b.client.call("wait_for_messages", { ...own, since_cursor });
  const wasWoken = async () =>
    (await a.client.call("nudge", { session_id, team_id: birch.team_id, to: "Atlas" })).nudged[0]?.reached;
  await expect.poll(wasWoken).toEqual(["wait"]);
  expect((await waiting).messages).toEqual([]);

  await newer.client.close();
  await expect.poll(() => connected(a, session_id)).toEqual({ aspen: false });
});

it("[NODE-7] what one node handed out another acknowledges, in turns and without a cursor, and reading is begun anew at any", async () => {
  const { nodes } = await startNodes(2);
  const [a, b] = nodes as [TestNode, TestNode];
  const session = await createTestSession(a.client);
  const { sessionId: session_id } = session;
  const birch = await session.join("Birch");
  const team_id = birch.credential;
  let { cursor } = birch;
  for (let round = 0; round < 10; round += 1) {
    const [reads, posts] = round % 2 === 0 ? [a, b] : [b, a];
    await posts.client.call("post_message", {
      ...{ session_id, team_id: session.convener },
      content: { text: `round ${round}` },
    });
    const answer = await reads.client.call("wait_for_messages", {
      session_id,
      team_id,
      since_cursor: cursor,
    });
    expect(listTexts(answer.messages)).toEqual([`round ${round}`]);
    expect(answer).not.toHaveProperty("skipped");
    cursor = answer.next_cursor;
  }
  expect(await b.client.call("ack", { session_id, team_id, cursor })).toEqual({ cursor });
  await session.post(session.convener, "unread");
  const first = await b.client.call("check_messages", { session_id, team_id });
  expect(listTexts(first.messages)).toEqual(["unread"]);
  const { receipt } = first;
  const next = await a.client.call("check_messages", { session_id, team_id, ...(receipt && { receipt }) });
  expect(next.messages).toEqual([]);
  // A peer without a cursor or receipt gets each message exactly twice, regardless of which nodes it calls.
  for (let round = 0; round < 5; round += 1) {
    await session.post(session.convener, `shown ${round}`);
    const brought: unknown[][] = [];
    for (const { client } of [a, b, a])
      brought.push(listTexts((await client.call("check_messages", { session_id, team_id })).messages));
    expect(brought).toEqual([[`shown ${round}`], [`shown ${round}`], []]);
  }

  await b.client.call("join_session", { session_id, team_id, team_name: "Birch", replay_from: 0 });
  const again = await a.client.call("check_messages", { session_id, team_id });
  expect(listTexts(again.messages)).toContain("round 0");
});

it("[NODE-14] whoever was answered at one node finds it so at another: settings, credentials, an end, and who is there", async () => {
  const { nodes } = await startNodes(2, { options: { auth: "open", rateLimits: "off" } });
  const [a, b] = nodes as [TestNode, TestNode];
  for (let round = 0; round < 5; round += 1) {
    const [writes, reads] = round % 2 === 0 ? [a, b] : [b, a];
    const session = await createTestSession(writes.client);
    const { sessionId: session_id, convener: team_id } = session;
    const birch = await session.join("Birch");
    const old = { session_id, team_id: birch.credential };
    // A node can serve stale data only if it has cached the data, so this node reads first.
    await reads.client.call("check_messages", old);
    await writes.client.call("rotate_team_credential", old);
    expect((await expectFailure(reads.client.call("check_messages", old))).code).toBe("unauthorized");

    await changeSettings(writes.client, { settings: { idle_polls: 3 + round } });
    expect((await reads.client.call("get_settings", {})).settings.idle_polls).toBe(3 + round);

    const inbox = await holdInbox(writes, session_id, team_id);
    const second = await holdInbox(reads, session_id, team_id);
    const connections = async (node: TestNode) =>
      (await node.client.call("list_participants", { session_id })).participants[0]?.connections;
    // A reply waits at most a second for the other nodes, so on a busy machine the count may follow it.
    await expect.poll(async () => [await connections(reads), await connections(writes)]).toEqual([2, 2]);
    // Closing the inbox that was opened last leaves the first inbox open.
    await second.client.close();
    await expect.poll(() => connections(writes)).toBe(1);
    expect(await connections(reads)).toBe(1);
    await inbox.client.close();

    await writes.client.call("conclude_session", { session_id, team_id, summary_section: "Done." });
    const late = reads.client.call("join_group", { session_id, team_id, name: "late" });
    expect((await expectFailure(late)).code).toBe("session_closed");
  }
});

it("[NODE-8] who was at a node that dies is there until its lease is over, and then no more", async () => {
  const { nodes, databaseUrl } = await startNodes(2);
  const [a, b] = nodes as [TestNode, TestNode];
  const session = await createTestSession(b.client);
  const { sessionId: session_id } = session;
  const birch = await b.client.call("join_session", { session_id, team_name: "Birch", peer_name: "aspen" });
  const inbox = await holdInbox(a, session_id, birch.peer_id ?? "");
  await expect.poll(() => connected(b, session_id)).toEqual({ aspen: true });
  await a.kill();
  expect(await connected(b, session_id)).toEqual({ aspen: true });
  await inbox.client.close();
  await expect.poll(() => connected(b, session_id)).toEqual({ aspen: false });

  // Purging a node also removes its connections from the rows of `peers`.
  const sql = connectTestDatabase(databaseUrl);
  const notes = () => sql`SELECT FROM peers WHERE here <> '{}'`;
  expect(await notes()).toHaveLength(1);
  const database = await openDatabase({ target: databaseUrl });
  await purgeNodes(database.orm, 0);
  await database.close();
  expect(await notes()).toHaveLength(0);
});

async function connected(node: TestNode, session_id: string): Promise<Record<string, boolean>> {
  const { peers } = await node.client.call("list_peers", { session_id });
  return Object.fromEntries(
    peers.flatMap(({ name, connected }) => (name === null ? [] : [[name, connected]])),
  );
}
