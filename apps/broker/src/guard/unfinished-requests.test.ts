import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { limits } from "@merkle/wire";
import { expect, it, onTestFinished } from "vitest";
import { createArrivals } from "../access/arrival.js";
import { createMetrics } from "../metrics.js";
import { boundUnfinishedRequests } from "./unfinished-requests.js";

/** A server that answers what is whole, but for `/long`, which it answers never. */
async function startServer(perAddressMax: number, trustedProxies: readonly string[] = []) {
  const metrics = createMetrics();
  const ended: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    if (request.url !== "/long") request.once("end", () => response.end());
  });
  boundUnfinishedRequests(server, {
    begun: "connection",
    perAddressMax,
    addressOf: createArrivals(trustedProxies).addressOf,
    onEnded: (address) => ended.push(address),
    metrics,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, metrics, ended };
}

type Begun = Awaited<ReturnType<typeof startServer>>;

/** A connection that the server has, and that has sent so much. */
async function begin({ server, port }: Begun, sent: string): Promise<Socket> {
  const taken = once(server, "connection");
  const isWhole = sent.endsWith("\r\n\r\n") && !sent.includes("Content-Length");
  const asked = sent.includes("\r\n\r\n") ? once(server, "request") : null;
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.write(sent);
  await taken;
  await asked;
  if (isWhole && !sent.includes("/long")) await once(socket, "data");
  return socket;
}

const head = "GET / HTTP/1.1\r\nHost: x\r\n";
const body = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345";

it("[GUARD-19] [LIMIT-1] unfinishedRequestsPerAddressMax come at once from an address; with one more the oldest ends", async () => {
  expect(limits.unfinishedRequestsPerAddressMax).toBeGreaterThan(3 * 30);
  const server = await startServer(3);
  const first = await begin(server, head);
  const second = await begin(server, body);
  const third = await begin(server, "");
  const ended = once(first, "close");
  await begin(server, head);
  await ended;
  expect([second.closed, third.closed]).toEqual([false, false]);
  expect(await server.metrics.render()).toContain('merkle_refusals_total{by="unfinished"} 1');
  expect(server.ended).toEqual(["127.0.0.1"]);
});

it("[GUARD-19] a request that is whole counts no more, however long its answer takes, and a later one over its connection does", async () => {
  const server = await startServer(2);
  const waiting = await begin(server, "GET /long HTTP/1.1\r\nHost: x\r\n\r\n");
  const answered = await begin(server, `${head}\r\n`);
  const others = [await begin(server, head), await begin(server, head)];
  expect([waiting, answered, ...others].map(({ closed }) => closed)).toEqual([false, false, false, false]);
  const ended = others[0] && once(others[0], "close");
  const asked = once(server.server, "request");
  answered.write(body);
  await asked;
  await ended;
  expect([waiting.closed, answered.closed, others[1]?.closed]).toEqual([false, false, false]);
});

it("[GUARD-19] a trusted proxy brings as many as it has", async () => {
  const server = await startServer(1, ["127.0.0.1"]);
  const sockets = [await begin(server, head), await begin(server, head), await begin(server, `${head}\r\n`)];
  expect(sockets.map(({ closed }) => closed)).toEqual([false, false, false]);
});
