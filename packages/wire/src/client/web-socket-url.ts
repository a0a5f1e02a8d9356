import { MerkleError } from "../core/errors.js";

const schemes: Readonly<Record<string, string>> = {
  "http:": "ws:",
  "https:": "wss:",
  "ws:": "ws:",
  "wss:": "wss:",
};

/**
 * The WebSocket's address, from any address that a person may have at hand: the broker's base, its MCP endpoint, its API
 * or the WebSocket itself. A path in front of these, as a proxy may add one, is kept; a query is dropped.
 *
 * @throws bad_request when the text is no address of the schemes http, https, ws or wss
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
