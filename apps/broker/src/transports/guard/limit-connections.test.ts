import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { limits } from "@merkle/wire/limits";
import { expect, it, onTestFinished } from "vitest";
import { createMetrics } from "../../core/metrics.js";
import { createOriginReader } from "../../identity/origin/request-origin.js";
import { limitConnections } from "./limit-connections.js";

async function startServer(perAddressMax: number, trustedProxies: readonly string[] = []) {
  const metrics = createMetrics();
  const server = createServer();
  const greeted = new Set<Socket>();
  // This listener gets only connections that were not refused.
  server.on("connection", (socket) => {
    expect(socket.destroyed).toBe(false);
    greeted.add(socket);
    socket.on("error", () => undefined);
    socket.write("hello");
  });
  limitConnections(server, {
    perAddressMax,
    addressOf: createOriginReader(trustedProxies).findAddress,
    metrics,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of greeted) socket.destroy();
    server.close();
  });
  // The server listens on a port, so its address has this type.
  const { port } = server.address() as AddressInfo;
  return { port, metrics };
}

/** Returns the connection once it has received the greeting, or null if it was closed. */
async function open(port: number): Promise<Socket | null> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  return new Promise((resolve) => {
    socket.on("error", () => undefined);
    socket.once("data", () => resolve(socket));
    socket.once("close", () => resolve(null));
  });
}

it("[GUARD-8] [LIMIT-1] an address may have connectionsPerAddressMax connections; one that ends makes room", async () => {
  expect(limits.connectionsPerAddressMax).toBeGreaterThan(30 * 10);
  const { port, metrics } = await startServer(3);
  const sockets = [await open(port), await open(port), await open(port)];
  expect(sockets.every((socket) => socket !== null)).toBe(true);
  expect(await open(port)).toBeNull();
  expect(await open(port)).toBeNull();
  expect(await metrics.render()).toContain('merkle_refusals_total{by="connections"} 2');
  sockets[0]?.destroy();
  await expect.poll(() => open(port)).not.toBeNull();
  expect(await open(port)).toBeNull();
});

it("[GUARD-8] a trusted proxy may have as many as it likes", async () => {
  const { port } = await startServer(1, ["127.0.0.1"]);
  for (let n = 0; n < 5; n += 1) expect(await open(port)).not.toBeNull();
});
