/**
 * The parts of a WebSocket that the client uses. Both the browser's class and the class from the `ws` package
 * have them. Apart from a WebSocket, the client needs only timers and `crypto` from the runtime.
 */
export interface WebSocketLike {
  readonly readyState: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  /** Ends the connection without the closing handshake. Not available in browsers. */
  terminate?(): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { code: number; reason: string }) => void): void;
  addEventListener(type: "error", listener: (event: object) => void): void;
}

export type WebSocketClass = new (url: string) => WebSocketLike;
