import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";

/**
 * Ends connections of which nothing is to be read, each after a while (GUARD-8): to accept one costs most of what refusing it
 * does, and whoever opens another as soon as one has ended would have thousands accepted in a second.
 */
export interface RefusedConnections {
  /** Ends a connection that has just been accepted; at once where enough are held already. */
  end(socket: Socket): void;
  /** Ends those that are held now. */
  endAll(): void;
}

export interface RefusedBounds {
  /** About how long one is held: some half as long, some half as long again, so that they do not all come back at once. */
  readonly heldMs: number;
  readonly countMax: number;
}

const sweepMs = 50;

export function createRefusedConnections({ heldMs, countMax }: RefusedBounds): RefusedConnections {
  /** When each is ended. */
  const held = new Map<Socket, number>();
  let timer: NodeJS.Timeout | undefined;

  function sweep(): void {
    const now = performance.now();
    for (const [socket, endsAt] of held) if (endsAt <= now) endNow(socket);
    timer = held.size === 0 ? undefined : setTimeout(sweep, sweepMs).unref();
  }

  function endNow(socket: Socket): void {
    held.delete(socket);
    socket.destroy();
  }

  return {
    end(socket) {
      if (held.size >= countMax) return endNow(socket);
      stopReading(socket);
      socket.on("error", () => endNow(socket));
      held.set(socket, performance.now() + (0.5 + Math.random()) * heldMs);
      timer ??= setTimeout(sweep, sweepMs).unref();
    },
    endAll() {
      clearTimeout(timer);
      timer = undefined;
      for (const socket of held.keys()) endNow(socket);
    },
  };
}

/**
 * What its client sends stays in the network. Node (20 to 24) has begun to read before anybody is told of the connection, and
 * has no other way to end that before the first bytes; without this it would keep some 64 KiB of them.
 */
function stopReading(socket: Socket): void {
  if (!("_handle" in socket)) return;
  const handle = socket._handle;
  if (typeof handle === "object" && handle !== null && "readStop" in handle) {
    if (typeof handle.readStop === "function") handle.readStop();
  }
}
