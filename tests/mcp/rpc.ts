import { MerkleError } from "@merkle/wire";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Cleanup } from "../kit/test-database.js";

export interface PostOptions {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Posts one JSON-RPC message with the headers that curl would send by default. */
export function post(
  url: string,
  message: unknown,
  { headers, signal }: PostOptions = {},
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "*/*", ...headers },
    body: typeof message === "string" ? message : JSON.stringify(message),
    ...(signal && { signal }),
  });
}

export function buildToolCall(name: string, args: unknown, id: number | string = 1): Record<string, unknown> {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}

/** Calls a tool with one request and returns the parsed text of its result. */
export async function callTool(
  url: string,
  name: string,
  args: unknown,
  posting?: PostOptions,
): Promise<Record<string, unknown>> {
  const { result } = await readRpc(await post(url, buildToolCall(name, args), posting));
  return readText(result);
}

/** Returns the parsed text of a result. @throws MerkleError if the result reports a failed call */
export function readText(result: unknown): Record<string, unknown> {
  const { content, isError } = Object(result);
  const body: unknown = JSON.parse(content[0].text);
  if (isError) throw MerkleError.fromBody(body);
  return Object(body);
}

export async function readRpc(
  response: Response,
): Promise<{ result?: unknown; error?: { code: number; message: string } }> {
  return Object(await response.json());
}

export function buildInitializeMessage(protocolVersion = "2025-11-25"): Record<string, unknown> {
  const clientInfo = { name: "test", version: "1" };
  return {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo },
  };
}

/** Opens an MCP session without the SDK and returns its id. */
export async function initialize(url: string): Promise<string> {
  const response = await post(url, buildInitializeMessage());
  const id = response.headers.get("mcp-session-id");
  if (!id) throw new Error(`initialize was answered ${response.status} ${await response.text()}`);
  await response.text();
  return id;
}

/** Connects the official MCP client. The client is closed at the end of the test. */
export async function connectClient(
  url: string,
  cleanup: Cleanup,
  headers: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  // The class implements Transport, but its type declaration lacks the `| undefined` that exactOptionalPropertyTypes
  // requires.
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Transport,
  );
  cleanup(() => client.close());
  return client;
}

/**
 * Returns the texts of the messages on a page, except redelivered messages. Messages are often redelivered here,
 * because one client's calls can use several connections.
 */
export function listNewTexts(page: unknown): string[] {
  const { messages, again = 0 } = Object(page);
  return messages
    .filter(({ sequence }: { sequence: number }) => sequence > again)
    .map(({ content }: { content: { text?: string } }) => content.text ?? "");
}
