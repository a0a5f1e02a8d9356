import { MerkleError } from "../core/errors.js";

const schemes: Readonly<Record<string, string>> = {
  "http:": "ws:",
  "https:": "wss:",
  "ws:": "ws:",
  "wss:": "wss:",
};

/**
 * Returns the WebSocket URL for any of the broker's addresses that a user may have: the base URL, the MCP
 * endpoint, the API or the WebSocket URL itself. Keeps a path prefix added by a proxy, and drops the query.
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
