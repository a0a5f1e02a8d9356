import { getEventListeners, once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { limits } from "../core/limits.js";
import type { Message } from "../feed/message.js";
import type { BrokerFrame, ClientFrame } from "../transports/frames.js";
import {
  type ClientOptions,
  type ConnectionState,
  connect,
  type Hello,
  type MerkleClient,
  MerkleError,
  type Push,
} from "./index.js";

const session = "5e551000-0000-4000-8000-000000000001";
const epochA = "e90c0000-0000-4000-8000-00000000000a";
const admitted = { mesh_id: session, mesh: "main", as: { kind: "anyone" } };
const brokerId = "7b0a3f0e-5a1c-4c8e-9f63-2d8f3f1c9b10";
const epochB = "e90c0000-0000-4000-8000-00000000000b";
const post = { session_id: session, content: { text: "hello" } };
const posted = { message_id: session, cursor: 1, at: "2026-01-01T00:00:00.000Z" };

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

// Reconnecting

it("[CLIENT-1] the client waits for a broker that is not there yet", async () => {
  const gone = await startScriptedBroker();
  await gone.stop();
  const client = startClient(gone.url);
  const answer = client.call("get_app_info", {});
  await nextState(client, (state) => state.status === "reconnecting" && state.attempt >= 3);

  const broker = await startScriptedBroker({ port: gone.port });
  const connection = await broker.greeted();
  connection.reply(await connection.request(), { name: "merkle" });
  expect(await answer).toEqual({ name: "merkle" });
});

it("[CLIENT-11] a pause between attempts ends at once when asked to, and a standing connection is asked for a sign of life", async () => {
  const gone = await startScriptedBroker();
  await gone.stop();
  const pauseMs = 3_600_000;
  const client = startClient(gone.url, { random: () => 1, retry: { baseMs: pauseMs, capMs: pauseMs } });
  await nextState(client, ({ status }) => status === "reconnecting");

  const broker = await startScriptedBroker({ port: gone.port });
  client.retryNow();
  const connection = await broker.greeted();
  await nextState(client, ({ status }) => status === "open");
  client.retryNow();
  const ping = await connection.next();
  expect(ping.type).toBe("ping");
  connection.reply(ping, {});
  const answer = client.call("get_app_info", {});
  connection.reply(await connection.request(), { name: "merkle" });
  expect(await answer).toEqual({ name: "merkle" });
  // The earlier reply has already proved that the connection works. Another probe is sent, and no timer from
  // an earlier probe closes the connection.
  client.retryNow();
  await connection.settled();
  expect(connection.waiting()).toBe(1);
  expect(broker.connectionsSoFar()).toBe(1);
});

it("[CLIENT-1] failures in a row lengthen the pause, and a reply starts anew", async () => {
  // Stops the clock, because on a busy machine time could pass between planning the retry and checking it.
  const clock = vi.spyOn(Date, "now").mockReturnValue(1_000);
  onTestFinished(() => clock.mockRestore());
  const broker = await startScriptedBroker();
  const states: { state: ConnectionState; pauseMs: number }[] = [];
  const client = startClient(broker.url, {
    random: () => 1,
    retry: { baseMs: 8, capMs: 20 },
    onState: (state) => {
      states.push({ state, pauseMs: state.status === "reconnecting" ? state.retryAt - 1_000 : 0 });
    },
  });
  (await broker.accepted()).socket.close(1012, "restarting");
  (await broker.greeted()).socket.close(1012, "restarting");
  (await broker.accepted()).socket.terminate();
  const answered = client.call("get_app_info", {});
  const connection = await broker.greeted();
  connection.reply(await connection.request(), {});
  await answered;
  connection.socket.close(1001);
  await broker.greeted();

  const pauses = states.filter(({ state }) => state.status === "reconnecting");
  expect(pauses.map(({ state }) => state.status === "reconnecting" && state.attempt)).toEqual([1, 2, 3, 1]);
  expect(pauses.map(({ pauseMs }) => pauseMs)).toEqual([8, 16, 20, 8]);
  expect(pauses[0]?.state).toMatchObject({ reason: "restarting (code 1012)" });
});

it("[CLIENT-1] a close code that forbids coming back ends every call and subscription with its error", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const errors: unknown[] = [];
  const follow = client.follow({ session, onMessage: ignore, onError: (error) => errors.push(error) });
  const calls = Promise.allSettled([client.call("post_message", post), client.call("get_app_info", {})]);
  const connection = await broker.greeted();
  await connection.subscribe();
  await connection.request();
  connection.socket.close(4413, "too large");

  const [change, read] = await calls;
  expect(change).toMatchObject({
    reason: {
      name: "MerkleError",
      code: "payload_too_large",
      details: { close_code: 4413, outcome: "unknown" },
    },
  });
  expect(read).toMatchObject({ reason: { code: "payload_too_large", details: { close_code: 4413 } } });
  await expect(follow.ready).rejects.toMatchObject({ code: "payload_too_large" });
  expect(errors).toMatchObject([{ code: "payload_too_large" }]);
  expect(client.state).toMatchObject({ status: "closed" });
  await expect(client.call("get_app_info", {})).rejects.toMatchObject({ code: "payload_too_large" });
  await expect(client.inbox({ session, teamId: "t", onMessage: ignore }).ready).rejects.toMatchObject({
    code: "payload_too_large",
  });
  expect(broker.connectionsSoFar()).toBe(1);
});

it("[CLIENT-1] a broker of another protocol ends the client with a sentence that names both", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const call = client.call("get_app_info", {});
  (await broker.accepted()).hello({ protocol: 2 });
  await expect(call).rejects.toThrow("speaks protocol 2, but this client speaks protocol 1");
});

// Introduction

it("[HELLO-1] a client that has something to say is let in before it asks, on each connection anew", async () => {
  const broker = await startScriptedBroker();
  const greetings: Hello[] = [];
  const client = startClient(broker.url, {
    mesh: "main",
    answerHello: (hello) => {
      greetings.push(hello);
      return Promise.resolve({ kind: "ticket", ticket: `ticket ${greetings.length}` });
    },
  });
  const call = client.call("get_app_info", {});
  for (const nth of [1, 2]) {
    const connection = await broker.accepted();
    connection.hello({ auth: "invite" });
    const frame = await connection.next();
    const ticket = `ticket ${nth}`;
    expect(frame).toEqual({ type: "hello", id: "hello", mesh: "main", proof: { kind: "ticket", ticket } });
    connection.send({ type: "heartbeat" });
    await connection.settled();
    expect(connection.waiting()).toBe(0);
    expect(client.state.status).not.toBe("open");
    connection.reply(frame, admitted);
    const request = await connection.request();
    expect(client.state).toMatchObject({ status: "open", admitted });
    if (nth === 1) connection.socket.terminate();
    else connection.reply(request, { name: "merkle" });
  }
  expect(await call).toEqual({ name: "merkle" });
  expect(greetings).toMatchObject([{ auth: "invite", broker_id: brokerId }, { nonce: "A".repeat(43) }]);
});

it("[HELLO-1] a client without a proof to give, and without a mesh to name, asks at once", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url, { answerHello: () => undefined });
  const call = client.call("get_app_info", {});
  const connection = await broker.greeted();
  connection.reply(await connection.request(), { name: "merkle" });
  expect(await call).toEqual({ name: "merkle" });
  expect(client.state).not.toHaveProperty("admitted");
});

it("[HELLO-1] a refusal ends the client, unless the broker will think otherwise later", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url, { mesh: "main" });
  const call = client.call("get_app_info", {});
  const busy = await broker.greeted();
  busy.refuse(await busy.next(), "unavailable", {});
  const stern = await broker.greeted();
  stern.refuse(await stern.next(), "unauthorized", {});
  await expect(call).rejects.toMatchObject({ code: "unauthorized", message: "unauthorized!" });
  expect(client.state).toMatchObject({ status: "closed" });
  expect(broker.connectionsSoFar()).toBe(2);
});

it("[HELLO-4] what fails in answering passes or ends the client, and nothing was sent", async () => {
  const broker = await startScriptedBroker();
  const failures = [new Error("no ticket now"), new MerkleError("unauthorized", "another broker")];
  const client = startClient(broker.url, {
    answerHello: () => Promise.reject(failures.shift()),
  });
  const call = client.call("get_app_info", {});
  const first = await broker.greeted();
  await nextState(client, (state) => state.status === "reconnecting" && state.reason === "no ticket now");
  const second = await broker.greeted();
  await expect(call).rejects.toThrow("another broker");
  expect([first.waiting(), second.waiting()]).toEqual([0, 0]);
});

it("[HELLO-1] a broker that lets nobody in, or that speaks before it did, is left for another connection", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url, { mesh: "main", connectTimeoutMs: 1_000 });
  const call = client.call("get_app_info", {});
  const hasty = await broker.greeted();
  hasty.push("follow", 1);
  const hanging = await broker.greeted();
  await hanging.next();
  const last = await broker.greeted();
  last.reply(await last.next(), admitted);
  last.reply(await last.request(), { name: "merkle" });
  expect(await call).toEqual({ name: "merkle" });
});

// Calls

it("[CLIENT-2] a change whose reply was lost is sent again, to the byte, with a key of the client's own", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const answer = client.call("post_message", post);
  const first = await broker.greeted();
  const request = await first.request();
  expect(request.input).toMatchObject({
    ...post,
    idempotency_key: expect.stringMatching(/^[0-9a-f]{12}-[0-9a-f-]{36}$/),
  });
  first.socket.terminate();

  const second = await broker.greeted();
  const again = await second.request();
  expect(again).toEqual(request);
  second.reply(again, posted);
  expect(await answer).toEqual(posted);
});

it("[CLIENT-2] the caller's own key is kept, keys differ between calls, and reads carry none", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const calls = [
    client.call("post_message", { ...post, idempotency_key: "mine" }),
    client.call("post_message", post),
    client.call("post_message", post),
    client.call("get_session", { session_id: session }),
  ];
  const connection = await broker.greeted();
  const requests = [];
  for (const _ of calls) requests.push(await connection.request());
  for (const request of requests) connection.reply(request, {});
  await Promise.all(calls);

  const [mine, second, third, read] = requests.map(({ input }) => input);
  expect(mine).toMatchObject({ idempotency_key: "mine" });
  expect(second).not.toEqual(third);
  expect(read).toEqual({ session_id: session });
});

it("[CLIENT-2] a wait goes on over a restart, and calls go out again in their order, before later ones", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const wait = client.call("wait_for_messages", { session_id: session, since_cursor: 4 });
  const read = client.call("get_session", { session_id: session });
  const first = await broker.greeted();
  await first.request();
  await first.request();
  await Promise.all([nextState(client, ({ status }) => status === "reconnecting"), first.socket.close(1012)]);
  const later = client.call("get_app_info", {});

  const second = await broker.greeted();
  const requests = [await second.request(), await second.request(), await second.request()];
  expect(requests.map(({ operation }) => operation)).toEqual([
    "wait_for_messages",
    "get_session",
    "get_app_info",
  ]);
  for (const request of requests) second.reply(request, { operation: request.operation });
  expect(await Promise.all([wait, read, later])).toEqual(requests.map(({ operation }) => ({ operation })));
});

it("[CLIENT-2] aborting sends cancel, rejects with the signal's reason, and is not undone by a reconnect", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const controller = new AbortController();
  const wait = client.call("wait_for_messages", { session_id: session }, { signal: controller.signal });
  const first = await broker.greeted();
  const request = await first.request();
  controller.abort(new Error("enough"));
  await expect(wait).rejects.toThrow("enough");
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  expect(await first.next()).toEqual({ type: "cancel", id: request.id });
  first.socket.terminate();

  const after = client.call("get_app_info", {});
  const second = await broker.greeted();
  const next = await second.request();
  expect(next.operation).toBe("get_app_info");
  second.reply(next, {});
  await after;
  await expect(client.call("get_app_info", {}, { signal: controller.signal })).rejects.toThrow("enough");
});

it("[CLIENT-2] aborting a call that has not gone out leaves nothing of it", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const controller = new AbortController();
  const aborted = client.call("post_message", post, { signal: controller.signal });
  const kept = client.call("get_app_info", {});
  controller.abort();
  await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
  const connection = await broker.greeted();
  const request = await connection.request();
  expect(request.operation).toBe("get_app_info");
  connection.reply(request, {});
  await kept;
});

it("[CLIENT-2] a refusal that says when to come back is made again; one beyond the timeout is told", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const answer = client.call("post_message", post);
  const connection = await broker.greeted();
  const request = await connection.request();
  connection.refuse(request, "too_many_requests", { retry_after_s: 0.01 });
  const again = await connection.request();
  expect(again).toEqual(request);
  connection.refuse(again, "unavailable", { retry_after_s: 0 });
  connection.reply(await connection.request(), posted);
  expect(await answer).toEqual(posted);

  const hurried = client.call("post_message", post, { timeoutMs: 5_000 });
  connection.refuse(await connection.request(), "too_many_requests", { retry_after_s: 5 });
  await expect(hurried).rejects.toMatchObject({ code: "too_many_requests" });

  const refused = client.call("post_message", post);
  connection.refuse(await connection.request(), "session_closed", {});
  await expect(refused).rejects.toMatchObject({ code: "session_closed", message: "session_closed!" });
});

it("[CLIENT-2] a call without an answer ends after its timeout and says that the outcome is unknown", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const connection = await broker.greeted();
  // The check is attached first, because on a busy machine the timeout may expire before the request arrives.
  const ended = expect(client.call("post_message", post, { timeoutMs: 40 })).rejects.toMatchObject({
    code: "unavailable",
    message: "The broker did not answer post_message within 40 ms.",
    details: { timeout_ms: 40, outcome: "unknown" },
  });
  const request = await connection.request();
  await ended;
  expect(await connection.next()).toEqual({ type: "cancel", id: request.id });
});

it("[CLIENT-2] a request that is too large for a frame is refused here and costs nobody the connection", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const text = "é".repeat(limits.frameBytesMax / 2);
  await expect(client.call("post_message", { session_id: session, content: { text } })).rejects.toMatchObject(
    { code: "payload_too_large" },
  );
  const connection = await broker.greeted();
  const call = client.call("get_app_info", {});
  connection.reply(await connection.request(), {});
  await call;
});

// Subscriptions

it("[CLIENT-3] follow brings each message once and in order through reconnects, holes and repeats", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const last = 300;
  const seen: number[] = [];
  const reached = deferred<void>();
  const follow = client.follow({
    session: "slug",
    after: 0,
    onMessage: ({ sequence }) => {
      seen.push(sequence);
      if (sequence === last) reached.resolve();
    },
  });
  serveUnsteadily(broker, last).catch(reached.reject);
  await reached.promise;
  expect(follow.cursor).toBe(last);
  expect(seen).toEqual(Array.from({ length: last }, (_, index) => index + 1));
  expect(broker.connectionsSoFar()).toBeGreaterThan(10);
});

it("[CLIENT-3] a hole leads to subscribing again from the cursor, and one that stays to an error", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const failed = deferred<unknown>();
  const seen: number[] = [];
  const follow = client.follow({
    session,
    after: 5,
    onMessage: ({ sequence }) => seen.push(sequence),
    onError: failed.resolve,
  });
  const connection = await broker.greeted();
  connection.subscribed(await connection.subscribe(), { after: 5 });
  await follow.ready;
  connection.push("follow", 6);
  for (let round = 1; round <= 4; round += 1) {
    connection.push("follow", 8);
    connection.push("follow", 9);
    const left = await connection.next();
    expect(left).toMatchObject({ type: "unsubscribe", kind: "follow", session_id: session });
    connection.reply(left, {});
    if (round === 4) continue;
    const again = await connection.subscribe();
    expect(again).toMatchObject({ after: 6, epoch: epochA });
    connection.subscribed(again, { after: 6 });
  }
  expect(await failed.promise).toMatchObject({ code: "internal", details: { cursor: 6, sequence: 8 } });
  expect(seen).toEqual([6]);
});

it("[CLIENT-3] an inbox starts where the broker has it acknowledged, and repeats nothing after a reconnect", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const seen: number[] = [];
  const inbox = client.inbox({
    session: "slug",
    teamId: "credential",
    onMessage: (m) => seen.push(m.sequence),
  });
  const first = await broker.greeted();
  const request = await first.subscribe();
  expect(request).toEqual({
    type: "subscribe",
    id: request.id,
    kind: "inbox",
    session_id: "slug",
    team_id: "credential",
  });
  first.subscribed(request, { after: 3 });
  for (const sequence of [5, 9, 9, 7]) first.push("inbox", sequence);
  await inbox.ready;
  await first.drained(client);
  expect(seen).toEqual([5, 9]);
  first.socket.terminate();

  const second = await broker.greeted();
  second.subscribed(await second.subscribe(), { after: 3 });
  for (const sequence of [5, 9, 12]) second.push("inbox", sequence);
  await second.drained(client);
  expect(seen).toEqual([5, 9, 12]);
  expect(inbox.cursor).toBe(12);
});

it("[CLIENT-3] a follow without a start takes the broker's, and resumes from it", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const changes: unknown[] = [];
  const follow = client.follow({ session: "slug", onMessage: ignore, onChanged: (c) => changes.push(c) });
  const first = await broker.greeted();
  const request = await first.subscribe();
  expect(request.after).toBeUndefined();
  first.subscribed(request, { after: 41 });
  await follow.ready;
  expect(follow.cursor).toBe(41);
  first.send({ type: "changed", kind: "document", session_id: session, version: 7 });
  first.send({ type: "changed", kind: "document", session_id: epochA, version: 8 });
  await first.drained(client);
  expect(changes).toEqual([{ kind: "document", version: 7 }]);
  first.socket.terminate();
  expect(await (await broker.greeted()).subscribe()).toMatchObject({ after: 41 });
});

it("[CLIENT-3] a follow that was not confirmed, or made without a connection, is asked for once on the next", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const unconfirmed = client.follow({ session: "one", after: 1, onMessage: ignore });
  const first = await broker.greeted();
  await first.subscribe();
  first.socket.terminate();
  await nextState(client, ({ status }) => status === "reconnecting");
  const late = client.inbox({ session, teamId: "credential", onMessage: ignore });

  const second = await broker.greeted();
  const requests = [await second.subscribe(), await second.subscribe()];
  expect(requests).toMatchObject([
    { kind: "follow", session_id: "one", after: 1 },
    { kind: "inbox", session_id: session },
  ]);
  for (const request of requests) second.subscribed(request, { after: 1 });
  await Promise.all([unconfirmed.ready, late.ready]);
  await second.drained(client);
});

it("[CLIENT-3] a listener that throws breaks neither the order nor the connection", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const seen: number[] = [];
  client.follow({
    session,
    after: 0,
    onMessage: ({ sequence }) => {
      seen.push(sequence);
      if (sequence === 1) throw new Error("the listener's own fault");
    },
  });
  const thrown = nextUncaught();
  const connection = await broker.greeted();
  connection.subscribed(await connection.subscribe(), { after: 0 });
  connection.push("follow", 1);
  connection.push("follow", 2);
  expect(await thrown).toMatchObject({ message: "the listener's own fault" });
  await connection.drained(client);
  expect(seen).toEqual([1, 2]);
});

it("[CLIENT-3] a second follow of a session is refused, by slug or id, and the first goes on", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const seen: number[] = [];
  const first = client.follow({ session: "slug", after: 0, onMessage: (m) => seen.push(m.sequence) });
  const connection = await broker.greeted();
  connection.subscribed(await connection.subscribe(), { after: 0 });
  await first.ready;

  await expect(client.follow({ session: "slug", onMessage: ignore }).ready).rejects.toMatchObject({
    code: "conflict",
  });
  const byId = client.follow({ session, onMessage: ignore });
  connection.subscribed(await connection.subscribe(), { after: 0 });
  await expect(byId.ready).rejects.toMatchObject({ code: "conflict" });
  connection.push("follow", 1);
  await connection.drained(client);
  expect(seen).toEqual([1]);
});

it("[CLIENT-3] after close a session can be followed anew; what was still under way is not heard", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const connection = await broker.greeted();
  const old = client.follow({
    session,
    after: 0,
    onMessage: () => expect.fail("a closed follow was called"),
  });
  const subscribe = await connection.subscribe();
  old.close();
  old.close();
  await expect(old.ready).rejects.toMatchObject({ code: "unavailable" });
  const seen: number[] = [];
  const anew = client.follow({ session, after: 7, onMessage: (m) => seen.push(m.sequence) });

  await connection.settled();
  expect(connection.waiting()).toBe(0); // The broker has not replied yet, and each session has only one control request at a time.
  connection.subscribed(subscribe, { after: 0 });
  connection.push("follow", 1);
  const unsubscribe = await connection.next();
  expect(unsubscribe).toMatchObject({ type: "unsubscribe", kind: "follow" });
  connection.push("follow", 8);
  connection.reply(unsubscribe, {});
  connection.subscribed(await connection.subscribe(), { after: 7 });
  connection.push("follow", 8);
  await anew.ready;
  await connection.drained(client);
  expect(seen).toEqual([8]);
});

it("[CLIENT-3] a refusal ends a subscription; a broker that cannot at the moment is asked again", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const errors: unknown[] = [];
  const follow = client.follow({ session, onMessage: ignore, onError: (error) => errors.push(error) });
  const connection = await broker.greeted();
  connection.refuse(await connection.subscribe(), "unavailable", { retry_after_s: 0.01 });
  connection.refuse(await connection.subscribe(), "not_found", {});
  await expect(follow.ready).rejects.toMatchObject({ code: "not_found" });
  expect(errors).toMatchObject([{ code: "not_found" }]);

  await expect(client.follow({ session: "", onMessage: ignore }).ready).rejects.toMatchObject({
    code: "bad_request",
  });
  await expect(client.follow({ session, after: -1, onMessage: ignore }).ready).rejects.toMatchObject({
    code: "bad_request",
  });
});

it("[CLIENT-4] another epoch calls onResync, and the follow starts where it says", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const resyncs: unknown[] = [];
  const seen: number[] = [];
  const follow = client.follow({
    session,
    after: 20,
    onMessage: ({ sequence }) => seen.push(sequence),
    onResync: (resynced) => {
      resyncs.push(resynced);
      return resyncs.length === 1 ? 2 : undefined;
    },
  });
  const first = await broker.greeted();
  first.subscribed(await first.subscribe(), { after: 20 });
  await follow.ready;
  first.socket.terminate();

  const second = await broker.greeted({ epoch: epochB });
  const request = await second.subscribe();
  expect(request).toMatchObject({ after: 2, epoch: epochB });
  expect(resyncs).toEqual([{ epoch: epochB }]);
  second.refuse(request, "resync", { epoch: epochA });
  const again = await second.subscribe();
  expect(again).toMatchObject({ after: 0, epoch: epochA });
  second.subscribed(again, { after: 0, epoch: epochA });
  second.push("follow", 1);
  await second.drained(client);
  expect(resyncs).toEqual([{ epoch: epochB }, { epoch: epochA }]);
  expect(seen).toEqual([1]);
});

it("[CLIENT-4] a cursor kept from another epoch is never used, and without onResync the follow ends", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const follow = client.follow({ session, after: 20, epoch: epochB, onMessage: ignore });
  await broker.greeted();
  await expect(follow.ready).rejects.toMatchObject({ code: "resync", details: { epoch: epochA } });
});

it("[CLIENT-4] a listener that names no place to go on from ends the follow, not the connection", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const follow = client.follow({ session, after: 20, epoch: epochB, onMessage: ignore, onResync: () => -1 });
  const connection = await broker.greeted();
  await expect(follow.ready).rejects.toMatchObject({ code: "resync" });
  await connection.drained(client);
});

it("[CLIENT-4] a subscription that has no cursor yet loses none by another epoch", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const follow = client.follow({ session, onMessage: ignore });
  const first = await broker.greeted();
  await first.subscribe();
  first.socket.terminate();
  const second = await broker.greeted({ epoch: epochB });
  second.subscribed(await second.subscribe(), { after: 4, epoch: epochB });
  await follow.ready;
  expect(follow.cursor).toBe(4);
});

it("[CLIENT-4] an inbox takes the restored broker's word for where it is", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const seen: number[] = [];
  const inbox = client.inbox({
    session,
    teamId: "credential",
    onMessage: ({ sequence }) => seen.push(sequence),
    onResync: () => undefined,
  });
  const first = await broker.greeted();
  first.subscribed(await first.subscribe(), { after: 30 });
  await inbox.ready;
  first.socket.terminate();
  const second = await broker.greeted({ epoch: epochB });
  second.subscribed(await second.subscribe(), { after: 3, epoch: epochB });
  second.push("inbox", 4);
  await second.drained(client);
  expect(seen).toEqual([4]);
});

// Unreliable networks

it("[CLIENT-5] a broker that falls silent is left for another connection; heartbeats keep the one there is", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const first = await broker.greeted({ heartbeat_ms: 60 });
  for (let beats = 0; beats < 8; beats += 1) {
    await new Promise((resolve) => setTimeout(resolve, 30));
    first.send({ type: "heartbeat" });
  }
  expect(broker.connectionsSoFar()).toBe(1);
  await Promise.all([
    nextState(client, ({ status }) => status === "reconnecting"),
    once(first.socket, "close"),
  ]);
  expect(client.state).toMatchObject({ reason: "the broker was silent for 120 ms" });
  await broker.greeted();
});

it("[CLIENT-5] a broker that accepts but never greets is left after the connect timeout", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url, { connectTimeoutMs: 1_000 });
  await once((await broker.accepted()).socket, "close");
  await broker.greeted();
  await nextState(client, ({ status }) => status === "open");
});

it("[CLIENT-5] what is no frame ends the connection, and a type from the future does not", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const first = await broker.greeted();
  first.socket.send(JSON.stringify({ type: "from_the_future" }));
  await first.drained(client);
  first.socket.send("{");
  const second = await broker.greeted();
  second.socket.send(Buffer.from([1, 2, 3]));
  await broker.greeted();
});

// Closing

it("[CLIENT-6] close leaves neither socket nor timer, rejects what is pending, and may be called twice", async () => {
  const broker = await startScriptedBroker();
  const before = resources();
  const client = startClient(broker.url);
  const follow = client.follow({ session, onMessage: ignore, onError: () => expect.fail("no error") });
  const calls = Promise.allSettled([client.call("post_message", post), client.call("get_app_info", {})]);
  const connection = await broker.greeted();
  await connection.subscribe();
  await connection.request();
  const closed = once(connection.socket, "close");
  await Promise.all([client.close(), client.close(), closed]);
  await client.close();
  expect((await closed)[0]).toBe(1000);
  expect(await calls).toMatchObject([
    { reason: { code: "unavailable", details: { reason: "client_closed", outcome: "unknown" } } },
    { reason: { code: "unavailable", details: { reason: "client_closed" } } },
  ]);
  await expect(follow.ready).rejects.toMatchObject({ code: "unavailable" });
  await expect(client.call("get_app_info", {})).rejects.toMatchObject({ code: "unavailable" });
  expect(client.state).toEqual({ status: "closed", reason: "The client was closed." });
  expect(await resourcesSince(before)).toEqual([]);
});

it("[CLIENT-6] close ends a client that is connecting, that waits to reconnect, and whose broker hangs", async () => {
  const broker = await startScriptedBroker();
  const other = await startScriptedBroker();
  const before = resources();
  await startClient(other.url).close();

  const waiting = startClient(broker.url, { random: () => 1, retry: { baseMs: 60_000, capMs: 60_000 } });
  (await broker.greeted()).socket.close(1012);
  await nextState(waiting, ({ status }) => status === "reconnecting");
  await waiting.close();

  const hanging = startClient(broker.url);
  const connection = await broker.greeted();
  await nextState(hanging, ({ status }) => status === "open");
  connection.socket.pause();
  await hanging.close();
  connection.socket.resume();
  await once(connection.socket, "close");
  expect(await resourcesSince(before)).toEqual([]);
});

it("[CLIENT-6] close may be called from any listener", async () => {
  const broker = await startScriptedBroker();
  const closed = deferred<void>();
  const client: MerkleClient = startClient(broker.url, {
    onState: ({ status }) => {
      if (status === "reconnecting") client.close().then(closed.resolve, closed.reject);
    },
  });
  (await broker.greeted()).socket.terminate();
  await closed.promise;
  expect(client.state.status).toBe("closed");
  expect(broker.connectionsSoFar()).toBe(1);
});

// Pushes

it("[CLIENT-9] pushes that are no messages reach whoever listens, and a nudge is answered over its connection", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const heard: Push[] = [];
  const nudged = deferred<void>();
  const stopThrowing = client.onPush(() => {
    throw new Error("my own fault");
  });
  client.onPush((push) => {
    heard.push(push);
    if (push.type !== "nudge") return;
    client.answerNudge(push.id, ["inbox", "channel"]);
    nudged.resolve();
  });
  client.answerNudge(session, []); // There is no connection yet, so nothing is sent.
  const connection = await broker.greeted();
  const change: Push = {
    type: "state_change",
    session_id: session,
    key: "deploy",
    value: "frozen",
    deleted: false,
    version: 3,
    updatedBy: "Birch",
    updatedAt: "2026-01-01T00:00:00.000Z",
  };
  const nudge: Push = {
    type: "nudge",
    id: epochA,
    session_id: session,
    by: { name: "Ana", human: true },
  };
  const fault = nextUncaught();
  connection.send(change);
  expect(await fault).toEqual(new Error("my own fault"));
  stopThrowing();
  connection.send(nudge);
  await nudged.promise;
  expect(await connection.next()).toEqual({ type: "nudged", id: epochA, reached: ["inbox", "channel"] });
  expect(heard).toEqual([change, nudge]);
});

// Limits

it("[CLIENT-7] no more requests are with the broker than it allows; the others follow in their order", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const max = limits.unansweredRequestsPerConnectionMax;
  const calls = Array.from({ length: 3 * max }, (_, index) =>
    client.call("get_history", { session_id: session, limit: index }),
  );
  const connection = await broker.greeted();
  const order: unknown[] = [];
  const held: Extract<ClientFrame, { type: "request" }>[] = [];
  for (let index = 0; index < max; index += 1) held.push(await connection.request());
  // The pong arrives after everything else that the client has sent, so no request beyond the limit was sent.
  await connection.settled();
  expect(connection.waiting()).toBe(0);
  for (let request = held.shift(); request; request = held.shift()) {
    order.push(request.input);
    connection.reply(request, {});
    if (order.length + held.length < calls.length) held.push(await connection.request());
  }
  await Promise.all(calls);
  expect(order).toEqual(calls.map((_, index) => ({ session_id: session, limit: index })));
});

it("[CLIENT-7] cancelled requests count until they are answered, yet never stop the client for good", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const connection = await broker.greeted();
  const max = limits.unansweredRequestsPerConnectionMax;
  for (let round = 0; round < 2; round += 1) {
    const controllers = Array.from({ length: max }, () => new AbortController());
    const waits = controllers.map(({ signal }) =>
      client.call("wait_for_messages", { session_id: session }, { signal }),
    );
    const settled = Promise.allSettled(waits);
    await connection.settled();
    for (const controller of controllers) controller.abort();
    await settled;
  }
  const call = client.call("get_app_info", {});
  let request = await connection.next();
  while (!(request.type === "request" && request.operation === "get_app_info"))
    request = await connection.next();
  connection.reply(request, {});
  await call;
});

it("[CLIENT-7] calls beyond what the client holds are refused", async () => {
  const client = startClient("http://127.0.0.1:1");
  const calls = Array.from({ length: 10_001 }, () => client.call("get_app_info", {}));
  await expect(calls.at(-1)).rejects.toMatchObject({ code: "too_many_requests" });
  const settled = Promise.allSettled(calls);
  await client.close();
  expect((await settled).every(({ status }) => status === "rejected")).toBe(true);
});

// Watching the mesh

it("[CLIENT-10] a watch is asked for on each connection, and tells when it stands again", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const told: unknown[] = [];
  const watch = client.watchMesh({
    credential: "p",
    onChanged: (change) => told.push(change),
    onRestored: () => told.push("restored"),
  });
  const first = await broker.greeted();
  const asked = await first.next();
  expect(asked).toMatchObject({ type: "watch_mesh", team_id: "p" });
  const change = { type: "mesh_changed", kind: "sessions", session_id: session } as const;
  first.send({ ...change, kind: "memory" }); // A hint for an earlier watch. Nothing is watched on this connection yet.
  first.reply(asked, {});
  first.send(change);
  await watch.ready;
  await first.drained(client);
  first.socket.terminate();

  const second = await broker.greeted();
  second.reply(await second.next(), {});
  second.send({ ...change, session_id: null });
  await second.drained(client);
  expect(told).toEqual([
    { kind: "sessions", session_id: session },
    "restored",
    { kind: "sessions", session_id: null },
  ]);
  watch.close();
  watch.close();
  expect(await second.next()).toMatchObject({ type: "unwatch_mesh" });
  second.send(change);
  await second.drained(client);
  expect(told).toHaveLength(3);
});

it("[CLIENT-10] a refusal that does not help to repeat ends a watch, another one is waited out; there is one at a time", async () => {
  const broker = await startScriptedBroker();
  const client = startClient(broker.url);
  const errors: unknown[] = [];
  const options = { onChanged: ignore, onError: (error: unknown) => errors.push(error) };
  const watch = client.watchMesh(options);
  await expect(client.watchMesh(options).ready).rejects.toMatchObject({ code: "conflict" });
  const connection = await broker.greeted();
  connection.refuse(await connection.next(), "unavailable", { retry_after_s: 0 });
  connection.refuse(await connection.next(), "unauthorized", {});
  await expect(watch.ready).rejects.toMatchObject({ code: "unauthorized" });
  expect(errors).toMatchObject([{ code: "conflict" }, { code: "unauthorized" }]);

  const next = client.watchMesh(options);
  connection.reply(await connection.next(), {});
  await next.ready;
  await client.close();
  expect(errors).toHaveLength(2);
  await expect(client.watchMesh(options).ready).rejects.toMatchObject({ code: "unavailable" });
});

// The tests' broker: a WebSocket server whose replies each test scripts.

type RequestFrame = Extract<ClientFrame, { type: "request" }>;
type SubscribeFrame = Extract<ClientFrame, { type: "subscribe" }>;
type HelloFields = Partial<Extract<BrokerFrame, { type: "hello" }>>;

function ignore(): void {}

function startClient(url: string, options: Partial<ClientOptions> = {}): MerkleClient {
  const client = connect({ url, WebSocket, random: () => 0, ...options });
  cleanups.push(() => client.close());
  return client;
}

/** Resolves with the first matching state, which may be the current one. */
function nextState(
  client: MerkleClient,
  wanted: (state: ConnectionState) => boolean,
): Promise<ConnectionState> {
  return new Promise((resolve) => {
    const stop = client.onState(look);
    look(client.state);
    function look(state: ConnectionState): void {
      if (!wanted(state)) return;
      queueMicrotask(() => stop());
      resolve(state);
    }
  });
}

/**
 * Returns the resources that a client left open: those that keep this process alive and are not in `before`.
 * Waits up to 900 ms, so that closing sockets and the test runner's short timers are not reported. The
 * client's own timers run far longer, so they are still reported.
 */
async function resourcesSince(before: readonly string[]): Promise<string[]> {
  const until = performance.now() + 900;
  let left: string[];
  do {
    await new Promise((resolve) => setImmediate(resolve));
    left = resources();
    for (const name of before) if (left.includes(name)) left.splice(left.indexOf(name), 1);
  } while (left.length > 0 && performance.now() < until);
  return left;
}

/** Lists this process's timers and sockets, which may include some from earlier tests. */
function resources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => /^(?:Timeout|TCP)/.test(name));
}

/** Resolves with the next uncaught exception, which is hidden from the test runner. */
function nextUncaught(): Promise<unknown> {
  const others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  return new Promise((resolve) => {
    process.once("uncaughtException", (error) => {
      for (const other of others) process.on("uncaughtException", other);
      resolve(error);
    });
  });
}

function deferred<T>() {
  let settle: { resolve: (value: T) => void; reject: (reason: unknown) => void } | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return {
    promise,
    resolve: (value: T) => settle?.resolve(value),
    reject: (reason: unknown) => settle?.reject(reason),
  };
}

/** A queue of values. A value can be requested before or after it arrives, and none is missed. */
class Arrivals<T> {
  readonly arrived: T[] = [];
  readonly #waiting: ((value: T) => void)[] = [];

  add(value: T): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(value);
    else this.arrived.push(value);
  }

  next(): Promise<T> {
    const value = this.arrived.shift();
    return value === undefined
      ? new Promise((resolve) => this.#waiting.push(resolve))
      : Promise.resolve(value);
  }
}

async function startScriptedBroker(options: { port?: number } = {}) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: options.port ?? 0, path: "/ws" });
  const connections = new Arrivals<ScriptedConnection>();
  let connectionsSoFar = 0;
  server.on("connection", (socket) => {
    connectionsSoFar += 1;
    connections.add(new ScriptedConnection(socket));
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // A listening TCP server has an address of this type.

  async function stop(): Promise<void> {
    for (const socket of server.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  }
  cleanups.push(stop);

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    stop,
    connectionsSoFar: () => connectionsSoFar,
    accepted: () => connections.next(),
    greeted: async (hello?: HelloFields) => {
      const connection = await connections.next();
      connection.hello(hello);
      return connection;
    },
  };
}

class ScriptedConnection {
  readonly socket: WebSocket;
  readonly #frames = new Arrivals<ClientFrame>();

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => this.#frames.add(JSON.parse(String(data))));
    socket.on("error", ignore);
  }

  hello(fields: HelloFields = {}): void {
    this.send({
      type: "hello",
      protocol: 1,
      version: "0.1.0",
      epoch: epochA,
      auth: "open",
      broker_id: brokerId,
      nonce: "A".repeat(43),
      heartbeat_ms: 60_000,
      ...fields,
    });
  }

  send(frame: BrokerFrame): void {
    this.socket.send(JSON.stringify(frame));
  }

  reply({ id }: ClientFrame, output: unknown): void {
    this.send({ type: "reply", id, output });
  }

  refuse({ id }: ClientFrame, code: string, details: Record<string, unknown>): void {
    this.send({ type: "reply", id, error: { code, message: `${code}!`, details } });
  }

  subscribed(request: SubscribeFrame, { after, epoch = epochA }: { after: number; epoch?: string }): void {
    this.reply(request, { session_id: session, after, last_sequence: 1_000, epoch });
  }

  push(kind: "inbox" | "follow", sequence: number): void {
    this.send({ type: "message", kind, session_id: session, message: messageOf(sequence) });
  }

  next(): Promise<ClientFrame> {
    return this.#frames.next();
  }

  async request(): Promise<RequestFrame> {
    const frame = await this.next();
    if (frame.type !== "request") expect.fail(`expected a request, got ${JSON.stringify(frame)}`);
    return frame;
  }

  async subscribe(): Promise<SubscribeFrame> {
    const frame = await this.next();
    if (frame.type !== "subscribe") expect.fail(`expected a subscribe, got ${JSON.stringify(frame)}`);
    return frame;
  }

  waiting(): number {
    return this.#frames.arrived.length;
  }

  /** Resolves once the client has processed everything sent to it and has sent its responses. */
  async settled(): Promise<void> {
    const answered = once(this.socket, "pong");
    this.socket.ping();
    await answered;
  }

  /** Resolves once the client has processed everything sent to it and has no requests left to send. */
  async drained(client: MerkleClient): Promise<void> {
    const call = client.call("get_app_info", {});
    this.reply(await this.request(), {});
    await call;
  }
}

function messageOf(sequence: number): Message {
  return {
    id: session,
    session_id: session,
    sequence,
    type: "chat",
    posted_by_team_id: null,
    from: null,
    to: ["*"],
    priority: "next",
    content: { text: `message ${sequence}` },
    posted_at: "2026-01-01T00:00:00.000Z",
  };
}

/**
 * Serves a subscription unreliably: sends a few messages at a time, each of them twice, followed by a gap or
 * a cut connection.
 */
async function serveUnsteadily(broker: Awaited<ReturnType<typeof startScriptedBroker>>, last: number) {
  for (let round = 1; ; round += 1) {
    const connection = await broker.greeted();
    for (let subscriptions = 1; subscriptions <= 1 + (round % 3); subscriptions += 1) {
      const { after = 0, ...subscribe } = await connection.subscribe();
      connection.subscribed(subscribe, { after });
      const end = Math.min(last, after + 1 + (round % 7));
      for (let sequence = after + 1; sequence <= end; sequence += 1) {
        connection.push("follow", sequence);
        connection.push("follow", sequence);
      }
      if (subscriptions > round % 3) break;
      connection.push("follow", end + 2);
      connection.reply(await connection.next(), {});
    }
    if (round % 2 === 0) await connection.settled();
    connection.socket.terminate();
  }
}
