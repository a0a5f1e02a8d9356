import { MerkleError } from "../core/errors.js";

const schemes: Readonly<Record<string, string>> = {
  "http:": "ws:",
  "https:": "wss:",
  "ws:": "ws:",
  "wss:": "wss:",
};

/**
 * Returns the WebSocket's URL for any address that a user may have: the broker's base URL, its MCP endpoint,
 * its API or the WebSocket itself. Keeps a path prefix, as added by a proxy, and drops the query.
 *
 * @throws bad_request if the text is not an address with the scheme http, https, ws or wss
 */
export function toWebSocketUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const scheme = schemes[url?.protocol ?? ""];
  if (!url || !scheme) {
    throw new MerkleError(
      "bad_request",
      `Expected the broker's address, such as http://localhost:7423, got ${JSON.stringify(address)}.`,
    );
  }
  const base = url.pathname.replace(/\/+$/, "").replace(/\/(?:api\/mcp|mcp|api|ws)$/, "");
  return `${scheme}//${url.host}${base}/ws`;
}
