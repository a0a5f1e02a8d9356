import { PassThrough } from "node:stream";
import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js";
import { Server as StatelessServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { expect, it } from "vitest";
import { createServer } from "./connect-server.js";
import { greetFirst } from "./greet-first.js";
import { createStdioTransport } from "./stdio-transport.js";

const introduction = {
  serverInfo: { name: "merkle", title: "Merkle", version: "1.2.3" },
  capabilities: { tools: {} },
  instructions: "Begin with join_session.",
};
const client = { name: "test", version: "1" };

it.each([...SUPPORTED_PROTOCOL_VERSIONS, "1999-12-31", ""])(
  "[STDIO-1] a client of revision %j is greeted as the SDK greets it",
  async (protocolVersion) => {
    const initialize = request("one", "initialize", {
      protocolVersion,
      capabilities: {},
      clientInfo: client,
    });
    const early = startGreeting();
    early.write(initialize);
    await early.greeting.awaitFirstMessage();
    const answer = await early.next();
    expect(answer).toEqual(await answerOfSdk(initialize));
    expect(Object(answer).result.protocolVersion).toBe(
      SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion) ? protocolVersion : LATEST_PROTOCOL_VERSION,
    );
  },
);

it.each([
  ["no parameters", request(1, "initialize", undefined)],
  ["no capabilities", request(1, "initialize", { protocolVersion: "2025-11-25", clientInfo: client })],
  ["no version", request(1, "initialize", { capabilities: {}, clientInfo: client })],
  ["nobody", request(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {} })],
  ["ping", request(1, "ping", {})],
  ["an unknown method", request(1, "make/coffee", {})],
])("[STDIO-1] what is no greeting, such as %s, is left to the SDK", async (_, line) => {
  const early = startGreeting();
  early.write(line);
  await early.greeting.awaitFirstMessage();
  await early.connect();
  expect(await early.next()).toEqual(await answerOfSdk(line));
});

it("[STDIO-1] the server behind knows its client, repeats no answer and takes over everything else", async () => {
  const early = startGreeting();
  const asked = { protocolVersion: "2025-06-18", capabilities: { roots: { listChanged: true } } };
  early.write(
    request(7, "initialize", { ...asked, clientInfo: client }),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    request(8, "ping", {}),
  );
  await early.greeting.awaitFirstMessage();
  expect(await early.next()).toMatchObject({ id: 7, result: { protocolVersion: "2025-06-18" } });
  const server = await early.connect();
  expect(await early.next()).toEqual({ jsonrpc: "2.0", id: 8, result: {} });
  expect(server.getClientVersion()).toEqual(client);
  expect(server.getClientCapabilities()).toEqual(asked.capabilities);
  // A later request with the same id as the handshake gets a reply of its own.
  early.write(request(7, "ping", {}));
  expect(await early.next()).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
});

it("[STDIO-17] who asks which revisions there are is answered as the SDK answers, and may still choose either", async () => {
  const discover = request(1, "server/discover", { _meta: claimOf("2026-07-28") });
  const early = startGreeting();
  early.write(discover);
  const met = early.greeting.awaitFirstMessage();
  expect(await early.next()).toEqual(await discoveredBySdk(discover));
  early.write(
    request(2, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: client }),
  );
  expect(await met).toEqual({ client: undefined });
  expect(await early.next()).toMatchObject({ id: 2, result: { protocolVersion: "2025-11-25" } });
});

it("[STDIO-17] a revision that there is none of is refused with those that there are, and chooses nothing", async () => {
  const early = startGreeting();
  early.write(request(1, "server/discover", { _meta: claimOf("2099-01-01") }));
  const met = early.greeting.awaitFirstMessage();
  expect(await early.next()).toMatchObject({
    id: 1,
    error: { code: -32022, data: { supported: ["2026-07-28"], requested: "2099-01-01" } },
  });
  early.write(request(2, "tools/list", { _meta: claimOf("2026-07-28") }));
  expect(await met).toEqual({ client });
});

function claimOf(revision: string): Record<string, unknown> {
  return {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": client,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
}

/** Returns the reply to this line from the server of the newer SDK. */
async function discoveredBySdk(line: string): Promise<unknown> {
  const { requests, write, next } = startStreams();
  const { serverInfo, instructions } = introduction;
  serveStdio(() => new StatelessServer(serverInfo, { capabilities: { tools: {} }, instructions }), {
    transport: requests,
  });
  write(line);
  return next();
}

function request(id: string | number, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** Returns the SDK server's reply to this line if nothing else answers first. */
async function answerOfSdk(line: string): Promise<unknown> {
  const { requests, write, next } = startStreams();
  await toServer(requests).connect(requests);
  write(line);
  return next();
}

function startGreeting() {
  const { requests, write, next } = startStreams();
  const greeting = greetFirst(requests, introduction, async () => introduction);
  return {
    write,
    next,
    greeting,
    async connect() {
      const server = toServer(requests);
      await server.connect(greeting);
      return server;
    },
  };
}

function toServer(requests: ReturnType<typeof createStdioTransport>) {
  const desk = { open: () => Promise.reject(new Error("No tool is called here.")) };
  return createServer({ tools: desk, introduction, requests });
}

function startStreams() {
  const input = new PassThrough();
  const output = new PassThrough({ encoding: "utf8" });
  const lines = output[Symbol.asyncIterator]();
  return {
    requests: createStdioTransport(input, output),
    write: (...texts: string[]) => void input.write(texts.map((text) => `${text}\n`).join("")),
    /** Reads the next message. Each message is written as one chunk, and so arrives as one chunk. */
    next: async (): Promise<unknown> => JSON.parse((await lines.next()).value),
  };
}
