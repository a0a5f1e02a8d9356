import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { type ConcurrencyBounds, createConcurrencyLimit } from "./concurrency-limit.js";

/**
 * Starts a server that answers a request only when the test allows it. Returns the requests in the order
 * in which they were served.
 */
async function startServer(bounds: ConcurrencyBounds) {
  const limitConcurrency = createConcurrencyLimit(bounds);
  const served: { readonly url: string; readonly response: ServerResponse }[] = [];
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    const url = request.url ?? "";
    limitConcurrency(url.slice(1, 2), response, () => void served.push({ url, response }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const ask = async (url: string) => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    const before = asked;
    socket.on("error", () => undefined);
    socket.resume();
    socket.write(`GET ${url} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await expect.poll(() => asked).toBe(before + 1);
    return socket;
  };
  return { ask, served, urls: () => served.map(({ url }) => url) };
}

it("[GUARD-21] serves so many of an address at once and the others in their order; other addresses wait for none of them", async () => {
  const { ask, served, urls } = await startServer({ countMax: 2, countedMs: 600_000 });
  for (const url of ["/a1", "/a2", "/a3", "/a4"]) await ask(url);
  expect(urls()).toEqual(["/a1", "/a2"]);
  await ask("/b1");
  expect(urls()).toEqual(["/a1", "/a2", "/b1"]);
  served[1]?.response.end();
  await expect.poll(urls).toEqual(["/a1", "/a2", "/b1", "/a3"]);
});

it("[GUARD-21] what takes long counts no more", async () => {
  const { ask, urls } = await startServer({ countMax: 1, countedMs: 20 });
  for (const url of ["/a1", "/a2", "/a3"]) await ask(url);
  await expect.poll(urls).toEqual(["/a1", "/a2", "/a3"]);
});

it("[GUARD-21] a request whose client has gone is not served", async () => {
  const { ask, served, urls } = await startServer({ countMax: 1, countedMs: 600_000 });
  await ask("/a1");
  const gone = await ask("/a2");
  await ask("/a3");
  gone.resetAndDestroy();
  // Once this request has been served, the server has also noticed that the other connection was reset.
  await ask("/b1");
  served[0]?.response.end();
  await expect.poll(urls).toEqual(["/a1", "/b1", "/a3"]);
});
