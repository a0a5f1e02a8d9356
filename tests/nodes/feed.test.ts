import { expect, it } from "vitest";
import { createTestSession, listTexts } from "../kit/session.js";
import { holdInbox, startNodes } from "./start-nodes.js";

it("[NODE-1] a post at one node wakes a wait and a socket at another, once and in order", async () => {
  const { nodes } = await startNodes(2);
  const [a, b] = nodes as [(typeof nodes)[0], (typeof nodes)[0]];
  const session = await createTestSession(a.client);
  const aspen = await session.join("Aspen");
  const birch = await session.join("Birch");
  const { sessionId: session_id } = session;
  const inbox = await holdInbox(b, session_id, aspen.credential);
  const wait = (since_cursor: number) =>
    b.client.call("wait_for_messages", { session_id, team_id: birch.credential, since_cursor });
  let next_cursor = birch.cursor;
  for (let number = 1; number <= 5; number += 1) {
    const waiting = wait(next_cursor);
    await session.post(session.convener, `number ${number}`);
    const answer = await waiting;
    expect(listTexts(answer.messages)).toEqual([`number ${number}`]);
    ({ next_cursor } = answer);
  }
  await expect.poll(() => inbox.texts).toEqual([1, 2, 3, 4, 5].map((number) => `number ${number}`));
});
