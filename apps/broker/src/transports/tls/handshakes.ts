import type { Socket } from "node:net";

/** Connections that have not proved yet to be of any use: none may stay so for long, and only so many at once (TLS-6). */
export interface Handshakes {
  begin(socket: Socket): void;
  /** The handshake on this connection is done; told by the socket that TLS has made of it. */
  done(secured: Socket): void;
  /** Ends those that are under way. */
  abandon(): void;
}

export interface HandshakeLimits {
  /** The time that a handshake may take in all, however lively it is. */
  readonly msMax: number;
  /** With one more the oldest ends: honest ones are over in milliseconds. */
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
      const key = keyOf(socket);
      underWay.set(key, { socket, deadline: setTimeout(() => socket.destroy(), msMax).unref() });
      socket.once("close", () => {
        if (underWay.get(key)?.socket === socket) end(key);
      });
      const [oldest] = underWay.values();
      if (underWay.size > countMax) oldest?.socket.destroy();
    },
    done: (secured) => end(keyOf(secured)),
    abandon() {
      for (const { socket } of underWay.values()) socket.destroy();
    },
  };
}

/** A connection's two ends, which no other has at the same time: Node does not say from which socket TLS has made another. */
function keyOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return [localAddress, localPort, remoteAddress, remotePort].join(" ");
}
