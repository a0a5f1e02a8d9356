import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";

interface OlderBrokerOptions {
  /** Names of the fields that the older broker does not know, wherever they occur in replies. */
  readonly unknownFields: readonly string[];
  /** Paths that the older broker does not know. */
  readonly unknownPaths?: RegExp;
  /** The build number that the older broker reports. Undefined for a broker that predates build numbers. */
  readonly build?: number | undefined;
}

/**
 * Simulates an older broker with a proxy that removes newer fields from a real broker's replies. Returns the
 * proxy's base URL.
 */
export async function startOlderBroker(
  broker: string,
  { unknownFields, unknownPaths, build }: OlderBrokerOptions,
): Promise<string> {
  const removeUnknownFields = (body: string): string => {
    try {
      return JSON.stringify(JSON.parse(body), (key, value) =>
        unknownFields.includes(key) ? undefined : key === "build" ? build : value,
      );
    } catch {
      return body;
    }
  };
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "";
    if (unknownPaths?.test(path)) {
      incoming.resume();
      const message = `There is no route ${incoming.method} ${path}. /openapi.json lists the routes, and /agents.md explains them.`;
      const body = JSON.stringify({ error: { code: "not_found", message, details: {} } });
      outgoing.writeHead(404, {
        "content-type": "application/json",
        ...withBuild({ "merkle-version": "0.1.0" }),
      });
      outgoing.end(body);
      return;
    }
    const passed = request(broker + path, {
      method: incoming.method,
      headers: { ...incoming.headers, host: new URL(broker).host },
    });
    passed.on("response", async (response) => {
      const isJson = response.headers["content-type"]?.includes("json") === true;
      const { "content-length": _length, ...headers } = response.headers;
      outgoing.writeHead(response.statusCode ?? 500, withBuild(isJson ? headers : response.headers));
      if (isJson) outgoing.end(removeUnknownFields(await text(response)));
      else response.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    incoming.pipe(passed);
  });
  function withBuild({
    "merkle-build": _,
    ...headers
  }: IncomingHttpHeaders): Record<string, string | string[] | undefined> {
    return build === undefined ? headers : { ...headers, "merkle-build": String(build) };
  }

  const sockets = new WebSocketServer({ server, path: "/ws" });
  sockets.on("connection", (client) => {
    const upstream = new WebSocket(`${broker.replace("http", "ws")}/ws`);
    client.on("message", async (data) => {
      if (upstream.readyState === WebSocket.CONNECTING)
        await new Promise((resolve) => upstream.once("open", resolve));
      upstream.send(data.toString());
    });
    upstream.on("message", (data) => client.send(removeUnknownFields(data.toString())));
    upstream.on("error", () => client.terminate());
    upstream.on("close", () => client.terminate());
    client.on("close", () => upstream.terminate());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
