import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { answerParent } from "./child.js";

export interface BroadcastQuestion {
  /** How long the message is that everybody gets from now on. */
  readonly bytes: number;
}

/** Bare `ws`: whatever comes in at `/post` is answered by one message to everybody at `/`, and nothing is kept. */
let message = Buffer.alloc(0);
const receivers = new Set<WebSocket>();
const http = createServer();
const server = new WebSocketServer({ server: http, perMessageDeflate: false });
server.on("connection", (socket, request) => {
  if (request.url !== "/post") {
    receivers.add(socket);
    socket.once("close", () => receivers.delete(socket));
    return;
  }
  socket.on("message", () => {
    for (const receiver of receivers) receiver.send(message, { binary: false });
  });
});
const listening = new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));

answerParent(async ({ bytes }: BroadcastQuestion) => {
  await listening;
  message = Buffer.alloc(bytes, "x");
  // A server that listens on a port, not on a pipe, has an address of this form.
  return { socketUrl: `ws://127.0.0.1:${(http.address() as AddressInfo).port}` };
});
