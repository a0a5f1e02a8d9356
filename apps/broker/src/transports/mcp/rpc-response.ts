import type { MerkleError } from "@merkle/wire";

/** JSON-RPC error codes for messages that cannot be processed at all. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  refused: -32000,
  unknownSession: -32001,
} as const;

/**
 * Returns the JSON-RPC error for a failure of the HTTP request itself, which cannot be tied to a JSON-RPC
 * request (ERR-4).
 */
export function toRpcErrorResponse(
  error: MerkleError,
  code: number = rpcCodes.refused,
  headers: Headers = new Headers(),
): Response {
  const { code: name, message, details } = error;
  headers.set("content-type", "application/json");
  const retryAfter = details["retry_after_s"];
  if (typeof retryAfter === "number") headers.set("retry-after", String(Math.ceil(retryAfter)));
  const body = { jsonrpc: "2.0", id: null, error: { code, message, data: { code: name, details } } };
  return new Response(JSON.stringify(body), { status: error.status, headers });
}

export function methodNotAllowed(message: string, allow: string): Response {
  const body = { jsonrpc: "2.0", id: null, error: { code: rpcCodes.refused, message } };
  return new Response(JSON.stringify(body), {
    status: 405,
    headers: { "content-type": "application/json", allow },
  });
}

/**
 * Waits until an event stream ends and returns its replies as plain JSON, for a caller that does not accept
 * streams.
 */
export async function toPlainJson(response: Response): Promise<Response> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  const answers = readEvents(await response.text()).filter(isAnswer);
  const headers = new Headers({ "content-type": "application/json" });
  const sessionId = response.headers.get("mcp-session-id");
  if (sessionId !== null) headers.set("mcp-session-id", sessionId);
  // There is no reply if every request was cancelled.
  if (answers.length === 0) return new Response(null, { status: 202, headers });
  return new Response(JSON.stringify(answers.length === 1 ? answers[0] : answers), { headers });
}

function readEvents(stream: string): unknown[] {
  const data = stream.split("\n").filter((line) => line.startsWith("data: "));
  return data
    .map((line) => line.slice("data: ".length))
    .filter((text) => text !== "")
    .map((text) => JSON.parse(text));
}

/**
 * Returns whether a message is a reply. A plain JSON response leaves out the server's requests and
 * notifications.
 */
function isAnswer(message: unknown): boolean {
  return typeof message === "object" && message !== null && ("result" in message || "error" in message);
}
