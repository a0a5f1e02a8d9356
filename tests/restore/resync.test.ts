import type { Message } from "@merkle/wire";
import { connect } from "@merkle/wire/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { backUp, restoreInPlace } from "../kit/restore.js";
import { createTestSession, expectFailure, listTexts } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

async function openRest(broker: TestBroker): Promise<TransportClient> {
  return brokerTransports.rest(broker.url);
}

describe("a restore under running clients", () => {
  it("[BACKUP-5] a follower is told, and never reads a number's second message as its first", {
    tags: "long",
  }, async () => {
    const broker = await startTestBroker();
    const transport = await openRest(broker);
    const session = await createTestSession(transport);
    await session.post(session.convener, "kept");
    const file = await backUp(broker);
    await session.post(session.convener, "lost by the restore");

    const client = connect({ url: broker.url, WebSocket });
    onTestFinished(() => client.close());
    const read: (string | Message)[] = [];
    const subscription = client.follow({
      session: session.sessionId,
      after: 0,
      onMessage: (message) => read.push(message),
      onResync: () => {
        read.push("resync");
        return 0;
      },
    });
    await expect.poll(() => read.length).toBe(2);

    await restoreInPlace(broker, file);
    await session.post(session.convener, "another second");
    await expect.poll(() => read.length).toBe(5);
    const told = read.map((each) => (typeof each === "string" ? each : each.content["text"]));
    expect(told).toEqual(["kept", "lost by the restore", "resync", "kept", "another second"]);
    subscription.close();
  });

  it("[WAIT-12] waits and history that come with the old epoch are answered resync, over every transport", async () => {
    const broker = await startTestBroker();
    const session = await createTestSession(await openRest(broker));
    const { sessionId: session_id, convener: team_id } = session;
    await session.post(team_id, "kept");
    const file = await backUp(broker);
    const { epoch } = await (await openRest(broker)).call("get_history", { session_id });
    await restoreInPlace(broker, file);
    for (const open of Object.values(brokerTransports)) {
      const transport = await open(broker.url);
      const stale = { session_id, team_id, epoch };
      expect(
        await expectFailure(transport.call("wait_for_messages", { ...stale, since_cursor: 1, timeout: 0 })),
      ).toMatchObject({ code: "resync" });
      expect(await expectFailure(transport.call("get_history", stale))).toMatchObject({ code: "resync" });
      await transport.close();
    }
  });

  it("[BACKUP-5] a cursor from before is answered resync once, whether or not it comes with an epoch, at every call that takes one", async () => {
    const broker = await startTestBroker();
    const session = await createTestSession(await openRest(broker));
    const { sessionId: session_id, convener } = session;
    const callers = await Promise.all(["a", "b", "c", "d"].map((name) => session.join(name)));
    const file = await backUp(broker);
    const { cursor } = await session.post(convener, "lost by the restore");
    await restoreInPlace(broker, file);
    await session.post(convener, "takes its number");
    const transport = await openRest(broker);
    const [a, b, c, d] = callers.map(({ credential }) => ({ session_id, team_id: credential }));
    const wait = { since_cursor: cursor, timeout: 0 };
    for (const call of [
      () => transport.call("wait_for_messages", { ...Object(a), ...wait }),
      () => transport.call("ack", { ...Object(b), cursor }),
      () => transport.call("get_history", { ...Object(c), before_cursor: cursor }),
    ]) {
      expect(await expectFailure(call())).toMatchObject({ code: "resync" });
      await call();
    }
    // The pending resync survives a restart of the broker. It does not affect callers that send the current epoch or
    // that get a new cursor by joining.
    await broker.restart();
    const { epoch } = await transport.call("get_history", { session_id });
    await transport.call("wait_for_messages", { ...Object(d), ...wait, epoch });
    await transport.call("wait_for_messages", { ...Object(d), ...wait });
    const resumed = await transport.call("join_session", {
      session_id,
      team_id: convener,
      team_name: "Atlas",
    });
    const again = { session_id, team_id: convener, since_cursor: resumed.cursor, timeout: 0 };
    await transport.call("wait_for_messages", again);
    const unread = await transport.call("check_messages", Object(b));
    expect(listTexts(unread.messages)).toContain("takes its number");
  });

  it("[BACKUP-2] credentials, keys and cursors go on working", { tags: "long" }, async () => {
    const broker = await startTestBroker();
    const transport = await openRest(broker);
    const session = await createTestSession(transport);
    const { sessionId: session_id, convener: team_id } = session;
    const birch = await session.join("Birch");
    const keyed = { session_id, team_id, content: { text: "keyed" }, idempotency_key: "the same key" };
    const posted = await transport.call("post_message", keyed);
    await transport.call("append_to_session_doc", { session_id, team_id, text: "- note" });
    await restoreInPlace(broker, await backUp(broker));
    expect(await transport.call("post_message", keyed)).toEqual(posted);
    expect(await transport.call("read_session_doc", { session_id })).toMatchObject({
      content: "- note",
      version: 1,
    });
    const { messages } = await transport.call("wait_for_messages", { session_id, team_id: birch.credential });
    expect(listTexts(messages)).toEqual(["keyed"]);
  });
});
