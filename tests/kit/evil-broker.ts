import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { BrokerFrame, Message } from "@merkle/wire";
import { onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { Cleanup } from "./test-database.js";

/** Changes that an evil broker makes. Each function receives the original and returns what the client gets instead. */
export interface FrameTampering {
  message?: ((message: Message) => Message) | undefined;
  /** Changes an entry in the output of `list_peers`. */
  peer?: ((peer: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** Returns what each frame to the client waits for. */
  until?: (() => Promise<void> | undefined) | undefined;
}

/** A broker that clients trust, but that can change everything passing through it. */
export interface EvilBroker {
  readonly url: string;
  /** Everything that clients have sent. */
  readonly heard: string[];
  /** The current changes. If there are none, as at the start, the broker is honest. */
  readonly tampering: FrameTampering;
}

/** Starts a server that forwards to a real broker. It is stopped when the test has finished. */
export async function startEvilBroker(
  honestUrl: string,
  cleanup: Cleanup = onTestFinished,
): Promise<EvilBroker> {
  const heard: string[] = [];
  const tampering: FrameTampering = {};
  const http = createServer((request, response) => void forward(honestUrl, request, response));
  const server = new WebSocketServer({ server: http });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  server.on("connection", (client) => {
    const honest = new WebSocket(`${honestUrl.replace(/^http/, "ws")}/ws`);
    const early: string[] = [];
    client.on("message", (data) => {
      const text = String(data);
      heard.push(text);
      if (honest.readyState === honest.OPEN) honest.send(text);
      else early.push(text);
    });
    honest.on("open", () => {
      for (const text of early.splice(0)) honest.send(text);
    });
    honest.on("message", async (data) => {
      await tampering.until?.();
      client.send(JSON.stringify(tamper(JSON.parse(String(data)), tampering)));
    });
    for (const [one, other] of [
      [client, honest],
      [honest, client],
    ] as const) {
      one.on("close", () => other.terminate());
      one.on("error", () => other.terminate());
    }
  });
  cleanup(async () => {
    for (const client of server.clients) client.terminate();
    server.close();
    http.closeAllConnections();
    http.close();
    await once(http, "close");
  });
  const { port } = http.address() as AddressInfo; // The server listens on a port, so this is an address and port.
  return { url: `http://127.0.0.1:${port}`, heard, tampering };
}

/** Forwards a request over HTTP, unchanged. */
async function forward(honestUrl: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { host: _, connection: __, ...headers } = request.headers;
    const { method = "GET", url = "" } = request;
    const body = await buffer(request);
    const answer = await fetch(new URL(url, honestUrl), {
      ...{ method, headers: headers as Record<string, string> },
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  } catch {
    response.destroy();
  }
}

function tamper(
  frame: BrokerFrame,
  { message = keepUnchanged, peer = keepUnchanged }: FrameTampering,
): BrokerFrame {
  if (frame.type === "message") return { ...frame, message: message(frame.message) };
  if (frame.type !== "reply" || !("output" in frame)) return frame;
  const output = Object(frame.output);
  return {
    ...frame,
    output: {
      ...output,
      ...(Array.isArray(output.messages) && { messages: output.messages.map(message) }),
      ...(Array.isArray(output.peers) && { peers: output.peers.map(peer) }),
    },
  };
}

function keepUnchanged<Value>(value: Value): Value {
  return value;
}
