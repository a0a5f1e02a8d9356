import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { limits } from "@merkle/wire";
import { expect, it, onTestFinished } from "vitest";
import { createRefusedConnections, type RefusedBounds } from "./refused-connections.js";

/** A server that refuses every connection, and what it has of each. */
async function startServer(bounds: RefusedBounds) {
  const refused = createRefusedConnections(bounds);
  const taken: Socket[] = [];
  const server = createServer((socket) => {
    taken.push(socket);
    refused.end(() => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    refused.endAll();
    server.close();
  });
  async function open(): Promise<Socket> {
    const accepted = once(server, "connection");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    await accepted;
    return socket;
  }
  return { refused, taken, open };
}

const longMs = 600_000;

/** Bytes that nobody read end a connection with an error. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

it("[GUARD-8] a connection that is refused is ended after a while", async () => {
  const { open } = await startServer({ heldMs: 200, countMax: 10 });
  const socket = await open();
  const ended = closed(socket);
  expect(socket.closed).toBe(false);
  await ended;
});

it("[GUARD-8] [LIMIT-1] beyond refusedConnectionsMax it is ended at once; when the server stops, so are those that wait", async () => {
  expect(limits.refusedConnectionsMax).toBeGreaterThan(limits.connectionsPerAddressMax);
  const { refused, taken, open } = await startServer({ heldMs: longMs, countMax: 2 });
  const held = [await open(), await open()];
  await open();
  expect(taken.map(({ destroyed }) => destroyed)).toEqual([false, false, true]);
  const ended = Promise.all(held.map(closed));
  refused.endAll();
  await ended;
});
