import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { expect, it, onTestFinished } from "vitest";
import { type OpenExchange, openExchange } from "./exchange.js";

/**
 * Starts a server that replies to one request with this many bytes. `exchange` resolves once the reply
 * begins.
 */
async function serveOnce(bytes: number): Promise<{ port: number; exchange: Promise<OpenExchange> }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  const exchange = new Promise<OpenExchange>((resolve) => {
    app.get("/", (c) => {
      resolve(openExchange(c));
      return new Response("x".repeat(bytes));
    });
  });
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, exchange };
}

const request = (more = "") => `GET / HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

it.each([
  { connection: "kept alive", head: request() },
  { connection: "closed afterwards", head: request("Connection: close\r\n") },
])(
  "[CURSOR-8] a response that was written in full is told from others, its connection $connection",
  async ({ head }) => {
    const { port, exchange } = await serveOnce(100_000);
    const client = connect(port, "127.0.0.1", () => client.write(head)).resume();
    expect(await (await exchange).ended).toBe("written");
    client.destroy();
  },
);

it("[CURSOR-8] a response whose reader goes away in its middle counts as broken", async () => {
  // More bytes than the socket buffers can hold, so that part of the response is never written.
  const { port, exchange } = await serveOnce(50_000_000);
  const client = connect(port, "127.0.0.1", () => client.write(request()));
  const { ended } = await exchange;
  client.once("readable", () => client.destroy());
  expect(await ended).toBe("broken");
});
