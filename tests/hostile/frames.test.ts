import { limits } from "@merkle/wire/limits";
import { beforeAll, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { expectUnharmed, type Subject, startSubject } from "./subject.js";
import { TestSocket } from "./test-socket.js";

/** An invalid frame closes only its own connection. The close code gives the reason. */

let subject: Subject;
const cleanup = createCleanup();
beforeAll(async () => {
  subject = await startSubject(cleanup);
});

const request = { type: "request", id: 1, operation: "get_app_info", input: {} };

const nudged = { type: "nudged", id: "00000000-0000-4000-8000-000000000000", reached: ["inbox"] };

const badFrames: Record<string, string | Buffer> = {
  "a binary frame": Buffer.from(JSON.stringify(request)),
  "an empty binary frame": Buffer.alloc(0),
  "an empty frame": "",
  "no JSON": "hello",
  "half of JSON": '{"type":"ping"',
  "two documents": '{"type":"ping","id":1}{"type":"ping","id":2}',
  "a member twice": '{"type":"ping","id":1,"id":2}',
  "a member twice, far within": JSON.stringify(request).replace("{}", '{"query":[{"a":1,"\\u0061":2}]}'),
  null: "null",
  "a list": JSON.stringify([request]),
  "a text": '"ping"',
  "no type": '{"id":1}',
  "a type of another kind": '{"type":["ping"],"id":1}',
  "no id": '{"type":"ping"}',
  "an id that is null": '{"type":"ping","id":null}',
  "an id that is broken": '{"type":"ping","id":1.5}',
  "an empty id": '{"type":"ping","id":""}',
  "a long id": JSON.stringify({ type: "ping", id: "x".repeat(101) }),
  "an id that is an object": '{"type":"ping","id":{}}',
  "a field too many": JSON.stringify({ ...request, extra: 1 }),
  "a prototype": `{"__proto__":{"admin":true},${JSON.stringify(request).slice(1)}`,
  "an operation that is no text": JSON.stringify({ ...request, operation: 1 }),
  "a subscription of no kind": JSON.stringify({ type: "subscribe", id: 1, kind: "all", session_id: "x" }),
  "a subscription after nothing": JSON.stringify({
    type: "subscribe",
    id: 1,
    kind: "follow",
    session_id: "x",
    after: -1,
  }),
  "an answer to a nudge that is not named": '{"type":"nudged","id":"x","reached":["inbox"]}',
  "a nudge that reached what there is not": JSON.stringify({ ...nudged, reached: ["shell"] }),
  "a nudge that reached too much": JSON.stringify({ ...nudged, reached: Array(11).fill("inbox") }),
  "deep nesting without a type": "[".repeat(10_000) + "]".repeat(10_000),
  "a million values": JSON.stringify({ ...request, input: { extra: Array(1_000_000).fill(0) } }),
};

it.each(Object.entries(badFrames))("[WS-7] %s closes the connection with 4400", async (_what, frame) => {
  const socket = await TestSocket.open(subject.broker.url);
  socket.sendText(frame);
  expect(await socket.closed).toBe(4400);
});

it.each(["shutdown", "reply", "__proto__", "constructor", "x".repeat(10_000)])(
  "[WS-7] a frame of type %.20s gets a short error, and the connection stays",
  async (type) => {
    const socket = await TestSocket.open(subject.broker.url);
    socket.sendText(JSON.stringify({ type, id: 1, output: {} }));
    const refused = await socket.replyTo(1);
    expect(refused).toMatchObject({ error: { code: "bad_request" } });
    expect(JSON.stringify(refused).length).toBeLessThan(1_000);
    socket.send({ type: "ping", id: 2 });
    expect(await socket.replyTo(2)).toHaveProperty("output");
  },
);

it("[WS-7] an unknown operation, bad input and an unknown session are replies, and the connection stays", async () => {
  const socket = await TestSocket.open(subject.broker.url);
  const { session_id, badCredentials } = subject;
  const wrong: [object, string][] = [
    [{ type: "request", operation: "drop_tables", input: {} }, "not_found"],
    [{ type: "request", operation: "__proto__", input: {} }, "not_found"],
    [{ type: "request", operation: "constructor", input: {} }, "not_found"],
    [{ type: "request", operation: "x".repeat(100_000), input: {} }, "not_found"],
    [{ type: "request", operation: "get_app_info", input: null }, "bad_request"],
    [{ type: "request", operation: "get_app_info", input: [] }, "bad_request"],
    [{ type: "request", operation: "get_app_info", input: "text" }, "bad_request"],
    [{ type: "subscribe", kind: "follow", session_id: "nowhere" }, "not_found"],
    [{ type: "subscribe", kind: "follow", session_id: "a\u0000b" }, "not_found"],
    [{ type: "subscribe", kind: "inbox", session_id }, "unauthorized"],
    [{ type: "subscribe", kind: "follow", session_id, after: 1_000_000 }, "bad_request"],
    [{ type: "subscribe", kind: "follow", session_id, epoch: session_id }, "resync"],
    [{ type: "unsubscribe", kind: "follow", session_id: "nowhere" }, "not_found"],
    ...Object.values(badCredentials).flatMap((team_id): [object, string][] => [
      [{ type: "subscribe", kind: "inbox", session_id, team_id }, "unauthorized"],
      [{ type: "subscribe", kind: "follow", session_id, team_id }, "unauthorized"],
    ]),
  ];
  for (const [id, [frame, code]] of wrong.entries()) {
    socket.send({ ...frame, id });
    expect(await socket.replyTo(id), JSON.stringify(frame).slice(0, 200)).toMatchObject({ error: { code } });
  }
  // Cancelling or answering a request that was never sent, or ending a subscription that does not exist, is not an
  // error.
  socket.send({ type: "cancel", id: "nothing" });
  socket.send(nudged);
  socket.send({ type: "unsubscribe", id: "end", kind: "follow", session_id });
  expect(await socket.replyTo("end")).toMatchObject({ output: {} });
});

it("[ERR-7] pings without end are replied, and disturb nobody", async () => {
  const socket = await TestSocket.open(subject.broker.url);
  const count = limits.unansweredRequestsPerConnectionMax * 10;
  for (let id = 0; id < count; id += 1) socket.send({ type: "ping", id });
  await socket.replyTo(count - 1);
  expect(socket.replies()).toHaveLength(count);
  await expectUnharmed(subject);
});
