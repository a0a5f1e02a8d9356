import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { answerParent } from "./child.js";
import { readState, type StateQuestion } from "./process-state.js";
import { messageText } from "./text.js";

export type BareQuestion =
  | { readonly address: true }
  /** Sets the size of the message that every connection receives from now on. */
  | { readonly broadcast: { readonly bytes: number } }
  /** Pings every connection at this interval from now on. */
  | { readonly ping: { readonly everyMs: number } }
  | { readonly count: true }
  | StateQuestion;

export interface BareAddress {
  readonly url: string;
  readonly socketUrl: string;
}

/** The number of open connections, and of parked requests. */
export interface BareCount {
  readonly sockets: number;
  readonly polls: number;
}

/**
 * Two minimal servers to compare the broker with. Bare `ws` broadcasts a message to all connections at `/` for each
 * message on `/post`. Bare `node:http` parks every request until the next message. Neither server stores anything.
 */
const answer = () =>
  JSON.stringify({ messages: [{ content: { text: messageText } }], next_cursor: sequence });
let sequence = 0;
let message = Buffer.alloc(0);
const receivers = new Set<WebSocket>();
const parked = new Set<ServerResponse>();

const http = createServer((request, response) => {
  const [, timeout, since] = /timeout=(\d+)&since_cursor=(\d+)/.exec(request.url ?? "") ?? [];
  // A request for the current end of the feed, or for messages that already exist, is answered immediately.
  if (timeout === "0" || Number(since) < sequence) return void response.end(answer());
  parked.add(response);
  response.once("close", () => parked.delete(response));
});
const server = new WebSocketServer({ server: http, perMessageDeflate: false });
server.on("connection", (socket, request) => {
  if (request.url !== "/post") {
    receivers.add(socket);
    socket.once("close", () => receivers.delete(socket));
    return;
  }
  socket.on("message", () => {
    for (const receiver of receivers) receiver.send(message, { binary: false });
    sequence += 1;
    for (const response of parked) response.end(answer());
  });
});
const listening = new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));

answerParent(async (question: BareQuestion) => {
  if ("state" in question) return readState(question);
  if ("count" in question) return { sockets: receivers.size, polls: parked.size } satisfies BareCount;
  if ("broadcast" in question) {
    message = Buffer.alloc(question.broadcast.bytes, "x");
    return {};
  }
  if ("ping" in question) {
    setInterval(() => {
      for (const receiver of receivers) receiver.ping();
    }, question.ping.everyMs);
    return {};
  }
  await listening;
  // The address has this type because the server listens on a port, not on a pipe.
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, socketUrl: `ws://127.0.0.1:${port}` } satisfies BareAddress;
});
