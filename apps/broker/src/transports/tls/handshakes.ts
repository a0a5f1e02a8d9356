import type { Socket } from "node:net";

/** Limits the number and duration of incomplete TLS handshakes (TLS-6). */
export interface Handshakes {
  begin(socket: Socket): void;
  /**
   * Records that a connection has completed its handshake. Pass the socket that TLS has created for the
   * connection.
   */
  complete(secured: Socket): void;
  /** Closes all connections whose handshake is not complete. */
  abandon(): void;
}

export interface HandshakeLimits {
  /** Maximum duration of a handshake, even if the client keeps sending data. */
  readonly msMax: number;
  /**
   * Maximum number of handshakes in progress. If there are more, the oldest is closed. Honest handshakes take
   * milliseconds.
   */
  readonly countMax: number;
}

export const handshakeLimits: HandshakeLimits = { msMax: 10_000, countMax: 256 };

export function createHandshakes({ msMax, countMax }: HandshakeLimits): Handshakes {
  const underWay = new Map<string, { readonly socket: Socket; readonly deadline: NodeJS.Timeout }>();

  function end(key: string): void {
    clearTimeout(underWay.get(key)?.deadline);
    underWay.delete(key);
  }

  return {
    begin(socket) {
      const key = toConnectionKey(socket);
      underWay.set(key, { socket, deadline: setTimeout(() => socket.destroy(), msMax).unref() });
      socket.once("close", () => {
        if (underWay.get(key)?.socket === socket) end(key);
      });
      const [oldest] = underWay.values();
      if (underWay.size > countMax) oldest?.socket.destroy();
    },
    complete: (secured) => end(toConnectionKey(secured)),
    abandon() {
      for (const { socket } of underWay.values()) socket.destroy();
    },
  };
}

/**
 * Returns a key that identifies a connection. It consists of the addresses of both ends, because Node does
 * not expose the raw socket below a TLS socket.
 */
function toConnectionKey({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return [localAddress, localPort, remoteAddress, remotePort].join(" ");
}
