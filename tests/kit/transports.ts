import { randomUUID } from "node:crypto";
import {
  fillPath,
  type InputOf,
  MerkleError,
  type OperationName,
  type OutputOf,
  operationRules,
} from "@merkle/wire";
import { catalogue, findOperation } from "@merkle/wire/schemas";
import { WebSocket } from "ws";
import { lookForSecrets } from "./canary.js";
import { type HttpAnswer, openHttpClients } from "./http-client.js";
import { startStdioServer } from "./stdio.js";

/** Calls operations over one transport, so that a suite can run over all of them. */
export interface TransportClient {
  readonly name: string;
  readonly url: string;
  readonly entry: Entry;
  /** @throws MerkleError as received over the transport */
  call<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
  /** Calls an operation with input that the types would not allow. */
  callRaw(name: string, input: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/** The identity and mesh of a client. Default: unauthenticated, in the main mesh. */
export interface Entry {
  /** A bearer token or an observer's token. */
  readonly token?: string | undefined;
  readonly mesh?: string | undefined;
  /** Further HTTP headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Creates the reply to the broker's hello, to use instead of the token. */
  readonly proof?: (() => Promise<object>) | undefined;
}

/** A WebSocket that can also send frames other than requests. */
export interface SocketTransport extends TransportClient {
  ask(frame: object): Promise<unknown>;
}

export type OpenTransport = (url: string, entry?: Entry) => Promise<TransportClient>;

/** The broker's own transports, keyed by name. Over these, the caller keeps its own credentials and cursor. */
export const brokerTransports: Record<"rest" | "mcp" | "websocket", OpenTransport> = {
  rest: openRest,
  mcp: openMcp,
  websocket: openWebSocket,
};

/** All transports. Over stdio, the server keeps credentials and cursor for its caller (STDIO-3, STDIO-4). */
export const transports: Record<"rest" | "mcp" | "websocket" | "stdio", OpenTransport> = {
  ...brokerTransports,
  stdio: openStdio,
};

function toTransport(
  { name, url, entry }: Pick<TransportClient, "name" | "url" | "entry">,
  callRaw: TransportClient["callRaw"],
  close: () => Promise<void> = async () => undefined,
): TransportClient {
  return {
    name,
    url,
    entry,
    callRaw,
    close,
    // The output is checked against the operation's schema, so it has the declared type.
    call: async (operation, input) =>
      catalogue[operation].output.parse(await retryLocked(() => callRaw(operation, input))) as never,
  };
}

/**
 * Retries after a lock timeout, as every client does. On a busy machine, many simultaneous callers can exceed that
 * timeout.
 */
async function retryLocked(call: () => Promise<unknown>): Promise<unknown> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof MerkleError) || !error.message.startsWith("Another call kept the data locked")) {
        throw error;
      }
    }
  }
}

export function toEntryHeaders({ token, mesh, headers }: Entry): Record<string, string> {
  return {
    ...headers,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(mesh !== undefined && { "x-merkle-mesh": mesh }),
  };
}

async function openRest(url: string, entry: Entry = {}): Promise<TransportClient> {
  const clients = openHttpClients();
  const callRaw: TransportClient["callRaw"] = async (name, input) => {
    const operation = findOperation(name);
    if (!operation) throw new Error(`REST has no route for ${name}.`);
    const { team_id, ...fields } = Object(input);
    const [method = "", template = ""] = operation.route.split(" ");
    const { path, rest } = fillPath(template, fields);
    const place = new URL(path, url);
    const headers = {
      ...toEntryHeaders(entry),
      ...(team_id !== undefined && { "x-team-id": String(team_id) }),
    };
    const client = clients.of(typeof team_id === "string" ? team_id : "");
    if (method === "GET") {
      for (const [key, value] of Object.entries(rest)) place.searchParams.set(key, String(value));
      return readAnswer(await client.send(place, { headers }));
    }
    return readAnswer(
      await client.send(place, {
        method,
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(rest),
      }),
    );
  };
  return toTransport({ name: "rest", url, entry }, callRaw, async () => clients.close());
}

function readAnswer(response: HttpAnswer): unknown {
  const body: unknown = JSON.parse(response.text);
  if (response.status === 200) return body;
  lookForSecrets("an error", JSON.stringify(body));
  const error = MerkleError.fromBody(body);
  if (error.status !== response.status)
    throw new Error(`${error.code} was answered with status ${response.status}.`);
  throw error;
}

/** The toolsets in this build, which may lack some features. */
const allToolsets = [...new Set(Object.values(operationRules).map(({ toolset }) => toolset))].join(",");

/** Opens a client that sends plain JSON-RPC, like curl. */
async function openMcp(url: string, entry: Entry = {}): Promise<TransportClient> {
  const clients = openHttpClients();
  const callRaw: TransportClient["callRaw"] = async (name, input) => {
    const { team_id } = Object(input);
    const response = await clients
      .of(typeof team_id === "string" ? team_id : "")
      .send(new URL(`/mcp?tools=${allToolsets}`, url), {
        method: "POST",
        headers: { ...toEntryHeaders(entry), "content-type": "application/json", accept: "*/*" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: randomUUID(),
          method: "tools/call",
          params: { name, arguments: input },
        }),
      });
    const { result, error } = Object(JSON.parse(response.text));
    // An error that refuses the whole request is in `data`, alongside the JSON-RPC code (ERR-4).
    if (error?.data?.code) throw new MerkleError(error.data.code, error.message, error.data.details);
    if (error) throw new Error(`JSON-RPC ${error.code}: ${error.message}`);
    const body: unknown = JSON.parse(result.content[0].text);
    if (!result.isError) return body;
    lookForSecrets("an error", JSON.stringify(body));
    throw MerkleError.fromBody(body);
  };
  return toTransport({ name: "mcp", url, entry }, callRaw, async () => clients.close());
}

/** Starts `merkle mcp` and uses it as a program would. */
async function openStdio(url: string): Promise<TransportClient> {
  const cleanups: (() => Promise<void>)[] = [];
  const args = ["--view", "json", "--tools", "core,messaging,mesh,tasks,people,progress,audit,work,admin"];
  const server = await startStdioServer({ url, args }, (cleanup) => cleanups.unshift(cleanup));
  return toTransport(
    { name: "stdio", url, entry: {} },
    async (name, input) => {
      const { result, error } = await server.request("tools/call", { name, arguments: input });
      if (!result) throw new Error(`JSON-RPC ${error?.code}: ${error?.message}`);
      const body: unknown = JSON.parse(result.content?.[0]?.text ?? "");
      if (result.isError) throw MerkleError.fromBody(body);
      return body;
    },
    async () => {
      await server.stop();
      for (const cleanup of cleanups) await cleanup();
    },
  );
}

export async function openWebSocket(url: string, entry: Entry = {}): Promise<SocketTransport> {
  const { token, mesh, proof } = entry;
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`);
  const waiting = new Map<string, { resolve(output: unknown): void; reject(error: unknown): void }>();
  socket.on("message", (data) => {
    const frame = JSON.parse(String(data));
    if (frame.type !== "reply") return;
    const request = waiting.get(frame.id);
    waiting.delete(frame.id);
    if (frame.error) lookForSecrets("an error", JSON.stringify(frame));
    if (frame.error) request?.reject(MerkleError.fromBody(frame));
    else request?.resolve(frame.output);
  });
  // The socket may close just after opening, or between two requests.
  let closed: Error | null = null;
  socket.once("close", (code) => {
    closed = new Error(`The connection closed with ${code}.`);
    for (const { reject } of waiting.values()) reject(closed);
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).on("error", reject));
  const ask = (frame: object) =>
    new Promise((resolve, reject) => {
      if (closed) return reject(closed);
      const id = randomUUID();
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ ...frame, id }));
    });
  async function close(): Promise<void> {
    if (closed) return;
    const ended = new Promise((resolve) => socket.once("close", resolve));
    socket.close();
    await ended;
  }
  const given = token === undefined ? await proof?.() : { kind: "bearer", token };
  if (given !== undefined || mesh !== undefined) {
    await ask({ type: "hello", mesh, proof: given }).catch(async (error: unknown) => {
      await close();
      throw error;
    });
  }
  const transport = toTransport(
    { name: "websocket", url, entry },
    (operation, input) => ask({ type: "request", operation, input }),
    close,
  );
  return { ...transport, ask };
}
