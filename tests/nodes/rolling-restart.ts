import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { connect } from "@merkle/wire/client";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createTestSession } from "../kit/session.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { behindProxy, startProxy, startTestBus } from "./kit/start-behind-proxy.js";
import { startNodes } from "./start-nodes.js";

const posters = 6;
const readers = 6;
/** Pause between two posts from one client. */
const paceMs = 20;

/**
 * Folder of a built checkout of an earlier version. If set, nodes start with the earlier version on the current schema
 * and are restarted with the current version. Then one node returns to the earlier version.
 */
const earlier = process.env["MERKLE_TEST_EARLIER"];
const own = fileURLToPath(new URL("../../", import.meta.url));

/** The sequences that a reader received, and its longest gap between two messages while others posted. */
interface Reading {
  readonly name: string;
  readonly sequences: number[];
  longestGapMs: number;
  givenAt: number;
}

function give(reading: Reading, sequence: number): void {
  const now = performance.now();
  reading.longestGapMs = Math.max(reading.longestGapMs, now - reading.givenAt);
  reading.givenAt = now;
  reading.sequences.push(sequence);
}

it("three nodes are restarted one by one under load: nothing is lost, doubled or out of order", {
  timeout: 180_000,
}, async () => {
  const bus = await startTestBus(onTestFinished);
  const options = { ...behindProxy, auth: "open", rateLimits: "off" } as const;
  let version = earlier ?? own;
  const script = () => join(version, "tests/faults/broker-child.mjs");
  const { nodes, databaseUrl } = await startNodes(3, { bus, options, script });
  const [port] = await startProxy(
    nodes.map(({ url }) => Number(new URL(url).port)),
    onTestFinished,
  );
  const url = `http://127.0.0.1:${port}`;
  const rest = await brokerTransports.rest(url);
  const session = await createTestSession(rest);
  const { sessionId: session_id } = session;
  const stopping = new AbortController();
  const acked = new Map<string, number>();
  let refused = 0;
  let lastRefusal = "";
  let longestPostMs = 0;

  /**
   * Posts until stopped. Half of the posting clients use sockets, which reconnect automatically. The other half use
   * REST and retry with the same key.
   */
  async function post(number: number): Promise<void> {
    const { credential: team_id } = await session.join(`Poster ${number}`);
    const client = number % 2 === 0 ? connect({ url, WebSocket }) : null;
    for (let count = 0; !stopping.signal.aborted; count += 1) {
      const text = `${number}:${count}`;
      const input = { session_id, team_id, content: { text }, idempotency_key: `rolling-restart-${text}` };
      const began = performance.now();
      const { cursor } = client
        ? await client.call("post_message", input)
        : await tryAgain(rest, () => rest.call("post_message", input));
      longestPostMs = Math.max(longestPostMs, performance.now() - began);
      acked.set(text, cursor);
      await delay(paceMs);
    }
    await client?.close();
  }

  async function tryAgain<Result>(_: TransportClient, call: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        refused += 1;
        lastRefusal = String(error);
        await delay(50);
      }
    }
  }

  function read(number: number): Reading {
    const name = number % 2 === 0 ? `socket ${number}` : `waits ${number}`;
    const reading: Reading = { name, sequences: [], longestGapMs: 0, givenAt: performance.now() };
    if (number % 2 === 0) follow(reading);
    else void waitOn(reading, number);
    return reading;
  }

  function follow(reading: Reading): void {
    const client = connect({ url, WebSocket });
    onTestFinished(() => client.close());
    client.follow({ session: session_id, after: 0, onMessage: ({ sequence }) => give(reading, sequence) });
  }

  async function waitOn(reading: Reading, number: number): Promise<void> {
    const { credential: team_id } = await session.join(`Reader ${number}`);
    let since_cursor = 0;
    while (!done) {
      const answer = await tryAgain(rest, () =>
        rest.call("wait_for_messages", { session_id, team_id, since_cursor, timeout: 2, include_own: true }),
      );
      for (const { sequence } of answer.messages) give(reading, sequence);
      since_cursor = answer.next_cursor;
    }
  }

  let done = false;
  onTestFinished(() => {
    done = true;
  });
  const readings = Array.from({ length: readers }, (_, number) => read(number));
  const posting = Promise.all(Array.from({ length: posters }, (_, number) => post(number)));
  await expect.poll(() => acked.size).toBeGreaterThan(100);
  for (const [index, node] of [...nodes, ...(earlier === undefined ? [] : nodes.slice(0, 1))].entries()) {
    version = index < nodes.length ? own : (earlier ?? own);
    await node.stop();
    const without = acked.size;
    await expect
      .poll(() => acked.size, { message: "posts go on at the others" })
      .toBeGreaterThan(without + 50);
    await node.start();
    const before = acked.size;
    await expect.poll(() => acked.size).toBeGreaterThan(before + 100);
  }
  stopping.abort();
  await posting;

  const sql = connectTestDatabase(databaseUrl);
  const stored = await sql<{ sequence: string; text: string }[]>`
    SELECT sequence, content::json ->> 'text' AS text FROM messages
    WHERE session_id = ${session_id} AND type = 'chat' ORDER BY sequence`;
  const [end] = await sql<
    { last: string }[]
  >`SELECT last_sequence AS last FROM feeds WHERE session_id = ${session_id}`;
  const all = Array.from({ length: Number(end?.last) }, (_, index) => index + 1);
  const sequenceOf = new Map(stored.map(({ text, sequence }) => [text, Number(sequence)]));
  expect(sequenceOf.size, "none is there twice").toBe(stored.length);
  for (const [text, sequence] of acked) expect(sequenceOf.get(text), text).toBe(sequence);
  // Describes the problem briefly, because a reader's full list of sequences would fill pages.
  const wrongIn = ({ sequences }: Reading) => {
    const at = sequences.findIndex((sequence, index) => sequence !== index + 1);
    return at < 0
      ? `${sequences.length} of ${all.length}`
      : `${sequences.slice(Math.max(0, at - 2), at + 3)} at ${at}`;
  };
  for (const reading of readings)
    await expect
      .poll(() => wrongIn(reading), { message: reading.name })
      .toBe(`${all.length} of ${all.length}`);
  console.log(
    [
      `${acked.size} posts over 3 restarts by ${bus === "postgres" ? "postgres" : "nats"}: 0 lost, 0 doubled, 0 out of order; ${refused} calls of REST tried again (the last: ${lastRefusal}); longest post ${Math.round(longestPostMs)} ms`,
      ...readings.map(({ name, longestGapMs }) => `  ${name}: longest gap ${Math.round(longestGapMs)} ms`),
    ].join("\n"),
  );
});
