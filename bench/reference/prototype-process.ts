import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import * as z from "zod";
import { answerParent } from "../child.js";
import { readState, type StateQuestion } from "../process-state.js";
import { type BareAppend, type BareRow, openBareAppend } from "./bare-append.js";

export type PrototypeQuestion =
  | { readonly start: { readonly databaseUrl: string } }
  | { readonly openFeeds: { readonly count: number } }
  | StateQuestion;

export interface PrototypeAddress {
  readonly socketUrl: string;
}

/**
 * The shortest implementation of a post that the design allows. It parses and checks a frame. Posts that arrive during
 * one append go into the next append. It replies once a post is on disk, and builds each frame for followers only once.
 * It has no credentials, retries, limits or rules, on purpose: the broker is compared with this minimum.
 */
const Frame = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("request"),
    id: z.number(),
    operation: z.literal("post_message"),
    input: z.object({
      session_id: z.uuid(),
      team_id: z.string(),
      content: z.object({ text: z.string().min(1).max(65_536) }),
      idempotency_key: z.string().min(16).optional(),
    }),
  }),
  z.object({ type: z.literal("subscribe"), id: z.number(), kind: z.literal("follow"), session_id: z.uuid() }),
]);

interface Pending {
  readonly row: BareRow;
  readonly id: number;
  readonly socket: Duplex;
}

const rowsMax = 1_000;

let database: BareAppend | null = null;
let queue: Pending[] = [];
let flushing = false;
const followers = new Map<string, Set<Duplex>>();
const corked = new Set<Duplex>();

const http = createServer();
const server = new WebSocketServer({ server: http, perMessageDeflate: false });
server.on("connection", (webSocket, request) => serve(webSocket, request.socket));
const listening = new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));

function serve(webSocket: WebSocket, socket: Duplex): void {
  socket.once("close", () => {
    for (const each of followers.values()) each.delete(socket);
  });
  webSocket.on("message", (data) => {
    const frame = Frame.parse(JSON.parse(String(data)));
    if (frame.type === "subscribe") {
      const followed = followers.get(frame.session_id) ?? new Set();
      followers.set(frame.session_id, followed.add(socket));
      write(socket, textFrame(JSON.stringify({ type: "reply", id: frame.id, output: { last_sequence: 0 } })));
      return;
    }
    const { session_id, content } = frame.input;
    const row = { sessionId: session_id, id: randomUUID(), content: JSON.stringify(content) };
    queue.push({ row, id: frame.id, socket });
    if (!flushing) void flush();
  });
}

async function flush(): Promise<void> {
  flushing = true;
  // Posts that arrive in the same turn of the event loop share the first append.
  await new Promise<void>((resolve) => setImmediate(resolve));
  while (queue.length > 0 && database) {
    const batch = queue.slice(0, rowsMax);
    queue = queue.slice(batch.length);
    settle(batch, await database.append(batch.map(({ row }) => row)));
  }
  flushing = false;
}

function settle(batch: readonly Pending[], places: Awaited<ReturnType<BareAppend["append"]>>): void {
  batch.forEach(({ row, id, socket }, index) => {
    const place = places[index];
    if (!place) throw new TypeError("The append answered fewer rows than it got.");
    const at = place.posted_at.toISOString();
    const followed = followers.get(row.sessionId);
    if (followed && followed.size > 0) {
      const message = `{"type":"message","message":{"id":"${row.id}","session_id":"${row.sessionId}","sequence":${place.sequence},"content":${row.content},"posted_at":"${at}"}}`;
      const shared = textFrame(message);
      for (const follower of followed) write(follower, shared);
    }
    const output = `{"message_id":"${row.id}","cursor":${place.sequence},"at":"${at}"}`;
    write(socket, textFrame(`{"type":"reply","id":${id},"output":${output}}`));
  });
}

/** Sends all frames written in one turn of the event loop with a single system call. */
function write(socket: Duplex, frame: Buffer): void {
  if (socket.destroyed) return;
  if (corked.size === 0) process.nextTick(uncork);
  if (!corked.has(socket)) {
    corked.add(socket);
    socket.cork();
  }
  socket.write(frame);
}

function uncork(): void {
  for (const socket of corked) socket.uncork();
  corked.clear();
}

/** Encodes a server's text frame (RFC 6455, section 5.2), for payloads below 64 KiB. */
function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const header = length < 126 ? 2 : 4;
  const frame = Buffer.allocUnsafe(header + length);
  frame[0] = 0x81;
  frame[1] = Math.min(length, 126);
  if (header === 4) frame.writeUInt16BE(length, 2);
  frame.write(text, header);
  return frame;
}

answerParent(
  async (question: PrototypeQuestion) => {
    if ("state" in question) return readState(question);
    if ("openFeeds" in question) return (await database?.openFeeds(question.openFeeds.count)) ?? [];
    database = await openBareAppend(question.start.databaseUrl);
    await listening;
    // The address has this type because the server listens on a port, not on a pipe.
    const { port } = http.address() as AddressInfo;
    return { socketUrl: `ws://127.0.0.1:${port}` } satisfies PrototypeAddress;
  },
  async () => database?.close(),
);
