import { expect, it } from "vitest";
import { describeOverEveryTransport, describeWhereTheCallerKeeps } from "../kit/every-transport.js";
import { createMailReader, createTestSession, expectFailure, listTexts } from "../kit/session.js";
import { itOnOneBroker } from "../kit/test-broker.js";

describeOverEveryTransport("waiting", (at) => {
  it("[WAIT-3] session_closed comes with the last messages; [WAIT-4] and a closed session never blocks", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const birch = await session.join("Birch");
    const parked = transport.call("wait_for_messages", { session_id, team_id: birch.credential });
    await expect
      .poll(async () => (await transport.call("list_participants", { session_id })).participants[1]?.polling)
      .toBe(true);
    await transport.call("conclude_session", {
      session_id,
      team_id: session.convener,
      summary_section: "Done.",
    });
    const { receipt, ...last } = await parked;
    expect(last).toMatchObject({ session_closed: true, messages: [{ event: "session_concluded" }] });
    const again = await transport.call("wait_for_messages", {
      ...{ session_id, team_id: birch.credential },
      ...(receipt !== undefined && { receipt }),
    });
    expect(again).toMatchObject({ session_closed: true, messages: [] });
  });

  it("[WAIT-5] a wait that times out is no error, and its cursor stays", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const birch = await session.join("Birch");
    const wait = { session_id: session.sessionId, team_id: birch.credential };
    expect(await transport.call("wait_for_messages", { ...wait, timeout: 0.05 })).toMatchObject({
      messages: [],
      next_cursor: birch.cursor,
    });
    expect(await expectFailure(transport.call("wait_for_messages", { ...wait, timeout: -1 }))).toMatchObject({
      code: "bad_request",
    });
  });

  it("[WAIT-7] the document's version comes when it has changed since the last wait", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const birch = await session.join("Birch");
    const wait = () =>
      transport.call("wait_for_messages", { session_id, team_id: birch.credential, timeout: 0 });
    expect(await wait()).not.toHaveProperty("document_version");
    await transport.call("append_to_session_doc", { session_id, team_id: session.convener, text: "- note" });
    expect(await wait()).toMatchObject({ document_version: 1 });
    await expect.poll(wait).not.toHaveProperty("document_version");
    // A wait does not return changes that the waiting team made itself.
    await transport.call("append_to_session_doc", { session_id, team_id: birch.credential, text: "- mine" });
    expect(await wait()).not.toHaveProperty("document_version");
  });

  it("[WAIT-8] empty waits are counted, and at the budget the reply says to stop", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const birch = await session.join("Birch");
    // The timeout must leave time for the call to the broker even if the client adds its own delay, as stdio does.
    const wait = (timeout = 0.1) =>
      transport.call("wait_for_messages", {
        session_id: session.sessionId,
        team_id: birch.credential,
        timeout,
      });
    for (let polls = 1; polls < 10; polls += 1) {
      const reply = await wait();
      expect(reply.idle_polls).toBe(polls);
      expect(reply).not.toHaveProperty("advice");
      // A call with timeout 0 is not counted and does not reset the count.
      expect(await wait(0)).not.toHaveProperty("idle_polls");
    }
    expect((await wait()).advice).toContain("session idle");
    await session.post(session.convener, "hello");
    expect(await wait()).not.toHaveProperty("idle_polls");
    await expect.poll(async () => (await wait()).idle_polls).toBe(1);
  });

  itOnOneBroker("behind a proxy no connection shows that a reply was read")(
    "[CURSOR-6] waits without a cursor go on by themselves, in order, each message once",
    async () => {
      const { transport } = at;
      const session = await createTestSession(transport);
      const { sessionId: session_id } = session;
      const birch = await session.join("Birch");
      const read: unknown[] = [];
      for (let i = 1; i <= 6; i += 1) {
        await session.post(session.convener, `message ${i}`);
        const reply = await transport.call("wait_for_messages", { session_id, team_id: birch.credential });
        read.push(...listTexts(reply.messages));
      }
      expect(read).toEqual([1, 2, 3, 4, 5, 6].map((i) => `message ${i}`));
    },
  );
});

describeWhereTheCallerKeeps("waiting from a cursor", (at) => {
  it("[WAIT-1] a wait blocks until somebody posts", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const birch = await session.join("Birch");
    const wait = transport.call("wait_for_messages", {
      session_id: session.sessionId,
      team_id: birch.credential,
      since_cursor: birch.cursor,
    });
    const first = await Promise.race([
      wait.then(() => "answered"),
      new Promise((resolve) => setTimeout(resolve, 200, "blocks")),
    ]);
    expect(first).toBe("blocks");
    await session.post(session.convener, "hello");
    expect(await wait).toMatchObject({
      next_cursor: 2,
      session_closed: false,
      messages: [{ content: { text: "hello" } }],
    });
  });

  it("[WAIT-2] one's own messages neither wake nor come, unless they are asked for", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    await session.post(team_id, "mine");
    await transport.call("update_session_metadata", {
      session_id,
      team_id,
      title: "Mine too",
      reason: "scope",
    });
    const wait = { session_id, team_id, since_cursor: 0, timeout: 0 };
    expect(await transport.call("wait_for_messages", wait)).toMatchObject({ messages: [], next_cursor: 0 });
    const own = await transport.call("wait_for_messages", { ...wait, include_own: true });
    expect(listTexts(own.messages)).toEqual(["mine", "session_metadata_updated"]);
  });

  itOnOneBroker("each node parks four")(
    "[WAIT-6] a fifth parked wait answers the oldest as its timeout would",
    async () => {
      const { transport } = at;
      const session = await createTestSession(transport);
      const birch = await session.join("Birch");
      const wait = (timeout: number) =>
        transport.call("wait_for_messages", {
          session_id: session.sessionId,
          team_id: birch.credential,
          since_cursor: birch.cursor,
          timeout,
        });
      // If the oldest wait lasted until its own timeout, the other waits would time out first and miss the message.
      const oldest = wait(30);
      // Not every transport preserves the order of requests, so the first wait must be registered before the others
      // start.
      const isParked = async () =>
        (await transport.call("list_peers", { session_id: session.sessionId })).peers.some(
          (peer) => peer.polling,
        );
      await expect.poll(isParked).toBe(true);
      const others = [wait(20), wait(20), wait(20), wait(20)];
      expect(await oldest).toMatchObject({ messages: [], next_cursor: birch.cursor });
      await session.post(session.convener, "hello");
      for (const other of others) expect(listTexts((await other).messages)).toEqual(["hello"]);
    },
  );

  it("[CURSOR-1] a cursor beyond the end is refused", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    expect(
      await expectFailure(transport.call("wait_for_messages", { session_id, team_id, since_cursor: 1 })),
    ).toMatchObject({
      code: "bad_request",
      details: { last_sequence: 0 },
    });
    expect(await expectFailure(transport.call("ack", { session_id, team_id, cursor: 1 }))).toMatchObject({
      code: "bad_request",
    });
  });

  it("[CURSOR-4] since_cursor acknowledges only what was handed out, and [CURSOR-5] says what it skipped", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const birch = await session.join("Birch");
    const team_id = birch.credential;
    for (const text of ["one", "two", "three"]) await session.post(session.convener, text);
    const skipping = await transport.call("wait_for_messages", {
      session_id,
      team_id,
      since_cursor: 3,
      timeout: 0,
    });
    expect(listTexts(skipping.messages)).toEqual(["three"]);
    expect(skipping.skipped).toBe(2);
    const without = await transport.call("wait_for_messages", { session_id, team_id });
    expect(listTexts(without.messages)).toEqual(["one", "two", "three"]);
  });

  it("[CURSOR-7] ack acknowledges what was handed out, by history too", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const birch = await session.join("Birch");
    const team_id = birch.credential;
    await session.post(session.convener, "one");
    expect(await transport.call("ack", { session_id, team_id, cursor: 2 })).toEqual({
      cursor: 1,
      skipped: 1,
    });
    await transport.call("get_history", { session_id, team_id });
    await expect.poll(() => transport.call("ack", { session_id, team_id, cursor: 2 })).toEqual({ cursor: 2 });
    expect(await transport.call("wait_for_messages", { session_id, team_id, timeout: 0 })).toMatchObject({
      messages: [],
      next_cursor: 2,
    });
  });

  it("[CURSOR-2] two teams read each at its own pace", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const [birch, cedar] = [await session.join("Birch"), await session.join("Cedar")];
    await session.post(session.convener, "to both");
    const read = async (team_id: string) =>
      listTexts((await transport.call("wait_for_messages", { session_id, team_id })).messages);
    expect(await read(birch.credential)).toEqual(["team_joined", "to both"]);
    expect(await read(cedar.credential)).toEqual(["to both"]);
  });

  it("[DELIVER-7] check_messages never blocks, and goes on where a wait or check without a cursor ended", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const birch = await session.join("Birch");
    const birchs = { session_id: session.sessionId, team_id: birch.credential };
    const { check, wait } = createMailReader(transport, birchs);
    expect(await check()).toMatchObject({ messages: [], next_cursor: birch.cursor, session_closed: false });
    await session.post(session.convener, "one");
    expect(listTexts((await check()).messages)).toEqual(["one"]);
    await session.post(session.convener, "two");
    expect(listTexts((await wait()).messages)).toEqual(["two"]);
    await session.post(session.convener, "three");
    expect(listTexts((await check()).messages)).toEqual(["three"]);
    const none = await check();
    expect(none).toMatchObject({ messages: [], next_cursor: 4 });
    expect(none).not.toHaveProperty("idle_polls");
    const epoch = "00000000-0000-4000-8000-000000000000";
    const stale = expectFailure(transport.call("check_messages", { ...birchs, epoch }));
    expect(await stale).toMatchObject({ code: "resync" });
    const stranger = expectFailure(transport.callRaw("check_messages", { session_id: session.sessionId }));
    expect(await stranger).toMatchObject({ code: "unauthorized" });
  });

  it("[WAIT-9] a page ends at 512 KiB and says what remains", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const birch = await session.join("Birch");
    const text = "x".repeat(60 * 1024);
    for (let i = 1; i <= 10; i += 1) await session.post(session.convener, text);
    const first = await transport.call("wait_for_messages", { session_id, team_id: birch.credential });
    expect(first.messages).toHaveLength(8);
    expect(first.remaining).toBe(2);
    const second = await transport.call("wait_for_messages", {
      session_id,
      team_id: birch.credential,
      since_cursor: first.next_cursor,
    });
    expect(second.messages).toHaveLength(2);
    expect(second).not.toHaveProperty("remaining");
  });

  it("[WAIT-12] another epoch is answered resync", async () => {
    const { transport } = at;
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const { epoch } = await transport.call("get_history", { session_id });
    await transport.call("wait_for_messages", { session_id, team_id, epoch, timeout: 0 });
    const stale = { session_id, team_id, epoch: "00000000-0000-4000-8000-000000000000", since_cursor: 99 };
    expect(await expectFailure(transport.call("wait_for_messages", stale))).toMatchObject({
      code: "resync",
      details: { epoch },
    });
  });
});
