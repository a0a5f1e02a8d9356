import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { limits } from "@merkle/wire";
import { expect, it, onTestFinished } from "vitest";
import { createArrivals } from "../access/arrival.js";
import { createMetrics } from "../metrics.js";
import { boundConnections, type ConnectionBounds } from "./bound-connections.js";

type Doubles = Partial<Pick<ConnectionBounds, "isDeafTo" | "inTurn" | "putOnTrial">>;

async function startServer(
  perAddressMax: number,
  { trustedProxies = [], ...doubles }: Doubles & { readonly trustedProxies?: readonly string[] } = {},
) {
  const metrics = createMetrics();
  const server = createServer();
  const greeted = new Set<Socket>();
  // What is ended does not come this far.
  server.on("connection", (socket) => {
    expect(socket.destroyed).toBe(false);
    greeted.add(socket);
    socket.on("error", () => undefined);
    socket.write("hello");
  });
  boundConnections(server, {
    perAddressMax,
    addressOf: createArrivals(trustedProxies).addressOf,
    isDeafTo: () => false,
    inTurn: (_address, begin) => begin(),
    metrics,
    refused: { heldMs: 30 },
    ...doubles,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of greeted) socket.destroy();
    server.close();
  });
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return { server, port, metrics };
}

/** The sockets that servers have made from now on. */
function watchSockets(): Socket[] {
  const made: Socket[] = [];
  // Node publishes this of each of them, with the socket as it is typed here.
  const onMade = (message: unknown) => void made.push((message as { socket: Socket }).socket);
  subscribe("net.server.socket", onMade);
  onTestFinished(() => void unsubscribe("net.server.socket", onMade));
  return made;
}

/** The connection, once it has been greeted; null when it was ended instead. */
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
  const { port } = await startServer(1, { trustedProxies: ["127.0.0.1"] });
  for (let n = 0; n < 5; n += 1) expect(await open(port)).not.toBeNull();
});

it("[GUARD-8] an address that was refused too often is not heard, until it has been quiet for a while", async () => {
  const deaf = new Set<string>();
  const { port, metrics } = await startServer(10, { isDeafTo: (address) => deaf.has(address) });
  expect(await open(port)).not.toBeNull();
  deaf.add("127.0.0.1");
  expect(await open(port)).toBeNull();
  expect(await metrics.render()).toContain('merkle_refusals_total{by="connections"} 1');
  deaf.clear();
  expect(await open(port)).not.toBeNull();
});

it("[GUARD-8] no socket is made for a connection that is refused", async () => {
  const { port } = await startServer(1);
  const made = watchSockets();
  expect(await open(port)).not.toBeNull();
  for (let n = 0; n < 3; n += 1) expect(await open(port)).toBeNull();
  expect(made).toHaveLength(1);
});

it("[GUARD-8] where a socket was made for it, not a byte of it is read", async () => {
  const { server } = await startServer(10, { isDeafTo: () => true });
  const outer = createServer((socket) => server.emit("connection", socket)).listen(0, "127.0.0.1");
  onTestFinished(() => void outer.close());
  await once(outer, "listening");
  const made = watchSockets();
  const client = connect((outer.address() as AddressInfo).port, "127.0.0.1");
  client.on("error", () => undefined);
  const ended = new Promise((resolve) => client.once("close", resolve));
  client.write("x".repeat(1_000));
  await ended;
  expect(made).toMatchObject([{ bytesRead: 0, destroyed: true }]);
});

it("[GUARD-20] a connection begins when it is its address's turn; one that is not to be heard by then is refused", async () => {
  const deaf = new Set<string>();
  const waiting: (() => void)[] = [];
  const { port, metrics } = await startServer(10, {
    isDeafTo: (address) => deaf.has(address),
    inTurn: (_address, begin) => waiting.push(begin),
  });
  const first = open(port);
  await expect.poll(() => waiting.length).toBe(1);
  waiting.shift()?.();
  expect(await first).not.toBeNull();
  const second = open(port);
  await expect.poll(() => waiting.length).toBe(1);
  deaf.add("127.0.0.1");
  waiting.shift()?.();
  expect(await second).toBeNull();
  expect(await metrics.render()).toContain('merkle_refusals_total{by="connections"} 1');
});

it("[GUARD-20] a connection that its client has given up meanwhile never begins", async () => {
  const waiting: (() => void)[] = [];
  const { port } = await startServer(1, { inTurn: (_address, begin) => waiting.push(begin) });
  const socket = connect(port, "127.0.0.1");
  await expect.poll(() => waiting.length).toBe(1);
  socket.resetAndDestroy();
  // Its room is there for another one as soon as it has gone.
  await expect
    .poll(() => {
      void open(port);
      return waiting.length;
    })
    .toBeGreaterThan(1);
  for (const begin of waiting) begin();
});

it("[GUARD-8] [GUARD-20] one that has a refusal for itself begins in its turn, whatever is refused meanwhile", async () => {
  const deaf = new Set<string>();
  const waiting: (() => void)[] = [];
  const { port } = await startServer(10, {
    isDeafTo: (address) => deaf.has(address),
    inTurn: (_address, begin) => waiting.push(begin),
    // It was the last one.
    putOnTrial(_socket, address) {
      deaf.add(address);
      return true;
    },
  });
  const first = open(port);
  await expect.poll(() => waiting.length).toBe(1);
  expect(await open(port)).toBeNull();
  waiting.shift()?.();
  expect(await first).not.toBeNull();
});
