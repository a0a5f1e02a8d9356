import { describe, expect, it } from "vitest";
import { MerkleError } from "../core/errors.js";
import { toWebSocketUrl } from "./web-socket-url.js";

describe("[CLIENT-8] every form of the broker's address leads to its WebSocket", () => {
  it.each([
    ["http://localhost:7423", "ws://localhost:7423/ws"],
    ["http://localhost:7423/", "ws://localhost:7423/ws"],
    ["http://localhost:7423/mcp", "ws://localhost:7423/ws"],
    ["http://localhost:7423/api/mcp?view=compact", "ws://localhost:7423/ws"],
    ["http://localhost:7423/api/", "ws://localhost:7423/ws"],
    ["https://mesh.example", "wss://mesh.example/ws"],
    ["HTTPS://Mesh.Example:8443/mcp/", "wss://mesh.example:8443/ws"],
    ["ws://127.0.0.1:7423/ws", "ws://127.0.0.1:7423/ws"],
    ["wss://mesh.example", "wss://mesh.example/ws"],
    ["http://[::1]:7423/mcp", "ws://[::1]:7423/ws"],
    ["https://example.org/merkle/mcp", "wss://example.org/merkle/ws"],
  ])("[CLIENT-8] %s", (address, expected) => {
    expect(toWebSocketUrl(address)).toBe(expected);
  });

  it.each(["", "localhost:7423", "//localhost", "ftp://localhost", "http://"])(
    "[CLIENT-8] %j is refused with a sentence that shows what was expected",
    (address) => {
      expect(() => toWebSocketUrl(address)).toThrow(MerkleError);
      expect(() => toWebSocketUrl(address)).toThrow("http://localhost:7423");
    },
  );
});
