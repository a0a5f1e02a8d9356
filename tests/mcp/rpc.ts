import { MerkleError } from "@merkle/wire";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Cleanup } from "../kit/test-database.js";

export interface Posting {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Posts one JSON-RPC message as curl would. */
export function post(url: string, message: unknown, { headers, signal }: Posting = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "*/*", ...headers },
    body: typeof message === "string" ? message : JSON.stringify(message),
    ...(signal && { signal }),
  });
}

export function toolCall(name: string, args: unknown, id: number | string = 1): Record<string, unknown> {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
}

/** Calls a tool with one plain request, and returns what its text says. */
export async function callTool(
  url: string,
  name: string,
  args: unknown,
  posting?: Posting,
): Promise<Record<string, unknown>> {
  const { result } = await readRpc(await post(url, toolCall(name, args), posting));
  return readText(result);
}

/** @throws MerkleError when the result says that the call failed */
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

export function initializeMessage(protocolVersion = "2025-11-25"): Record<string, unknown> {
  const clientInfo = { name: "test", version: "1" };
  return {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo },
  };
}

/** Opens an MCP session by hand and returns its id. */
export async function initialize(url: string): Promise<string> {
  const response = await post(url, initializeMessage());
  const id = response.headers.get("mcp-session-id");
  if (!id) throw new Error(`initialize was answered ${response.status} ${await response.text()}`);
  await response.text();
  return id;
}

/** The official client, connected; closed at the end. */
export async function connectClient(
  url: string,
  cleanup: Cleanup,
  headers: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  // The class implements Transport; its declaration lacks the `| undefined` that exact optional properties ask for.
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Transport,
  );
  cleanup(() => client.close());
  return client;
}

/** The texts of a page, but of messages that are brought again: a client's calls need not come over one connection. */
export function newTexts(page: unknown): string[] {
  const { messages, again = 0 } = Object(page);
  return messages
    .filter(({ sequence }: { sequence: number }) => sequence > again)
    .map(({ content }: { content: { text?: string } }) => content.text ?? "");
}
