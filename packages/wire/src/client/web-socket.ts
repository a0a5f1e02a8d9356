/**
 * As much of a WebSocket as the client uses: the browser's own has it, and so has the class of the `ws` package. The
 * runtime's timers and `crypto` are the only other things that it takes from its surroundings.
 */
export interface WebSocketLike {
  readonly readyState: number;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  /** Ends the connection without the closing handshake; browsers have no such method. */
  terminate?(): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { code: number; reason: string }) => void): void;
  addEventListener(type: "error", listener: (event: object) => void): void;
}

export type WebSocketClass = new (url: string) => WebSocketLike;
