import type { Duplex } from "node:stream";
import type { CloseReason } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { toAddressBlock } from "../../core/address-block.js";

/** Limits how many unauthenticated connections there may be, and what each of them may send (GUARD-11). */
export interface UnprovenConnections {
  /** Watches a connection until its client has authenticated or the connection is closed. */
  begin(connection: UnprovenConnection): UnprovenGuard;
}

export interface UnprovenConnection {
  /** The underlying stream, whose bytes are counted before they are parsed. */
  readonly socket: Duplex;
  readonly address: string;
  cutOff(reason: CloseReason): void;
}

export interface UnprovenGuard {
  /**
   * Returns whether a received frame may be processed. Before authentication, this is true only for the first
   * frame, which should be the client's hello.
   */
  acceptFrame(): boolean;
  /**
   * Call when the client has authenticated. From then on, only the general limits apply to the connection.
   */
  markAuthenticated(): void;
}

export interface UnprovenBounds {
  readonly msMax: number;
  readonly bytesMax: number;
  readonly countMax: number;
  readonly perAddressMax: number;
}

export const unprovenBounds: UnprovenBounds = {
  msMax: limits.helloMsMax,
  bytesMax: limits.helloBytesMax,
  countMax: limits.unprovenConnectionsMax,
  perAddressMax: limits.unprovenConnectionsPerAddressMax,
};

interface UnprovenEntry extends UnprovenConnection {
  readonly block: string;
  end(reason: CloseReason): void;
}

export function createUnprovenConnections(bounds: UnprovenBounds): UnprovenConnections {
  /** Connections that are not authenticated yet, ordered by arrival. The oldest comes first. */
  const waiting = new Set<UnprovenEntry>();

  /**
   * Closes the oldest waiting connection if a limit is exceeded, preferably one from the same address. Honest
   * clients authenticate within milliseconds.
   */
  function makeRoom({ block }: UnprovenEntry): void {
    const neighbours = [...waiting].filter((each) => each.block === block);
    if (neighbours.length > bounds.perAddressMax) neighbours[0]?.end("too_many_connections");
    const [oldest] = waiting;
    if (waiting.size > bounds.countMax) oldest?.end("too_many_connections");
  }

  return {
    begin(connection) {
      const { socket, cutOff } = connection;
      let bytes = 0;
      let frames = 0;
      let isOver = false;
      const deadline = setTimeout(() => self.end("no_hello"), bounds.msMax).unref();
      const self: UnprovenEntry = {
        ...connection,
        block: toAddressBlock(connection.address),
        end(reason) {
          if (isOver) return;
          stop();
          isOver = true;
          cutOff(reason);
        },
      };

      function count(chunk: Buffer): void {
        bytes += chunk.length;
        if (bytes > bounds.bytesMax) self.end("too_large");
      }

      function stop(): void {
        clearTimeout(deadline);
        socket.off("data", count);
        waiting.delete(self);
      }

      // Prepended so that bytes are counted before the next listener parses frames.
      socket.prependListener("data", count);
      socket.once("close", stop);
      waiting.add(self);
      makeRoom(self);
      return {
        acceptFrame() {
          if (isOver) return false;
          frames += 1;
          if (!waiting.has(self) || frames === 1) return true;
          self.end("unauthorized");
          return false;
        },
        markAuthenticated: stop,
      };
    },
  };
}
