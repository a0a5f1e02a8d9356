import type { WebSocketClass } from "@merkle/wire/client";
import { WebSocket } from "ws";
import type { Trust } from "./broker/reach.js";

/** A WebSocket that believes what it is told to, where that is not what Node believes by itself. */
export function trustingWebSocket(trust: Trust | undefined): WebSocketClass {
  return trust ? withTrust(trust) : WebSocket;
}

function withTrust(trust: Trust): WebSocketClass {
  return class extends WebSocket {
    constructor(url: string) {
      super(url, trust());
    }
  };
}
