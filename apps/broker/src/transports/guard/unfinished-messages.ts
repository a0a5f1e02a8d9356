import type { EventEmitter } from "node:events";
import { performance } from "node:perf_hooks";
import type { Duplex } from "node:stream";
import type { CloseReason } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { WebSocket } from "ws";

/** Messages of WebSockets that have begun and not ended: each is kept in memory for as long as its client likes (GUARD-15). */
export interface UnfinishedMessages {
  /** Begins with a connection of which nothing has come yet. */
  watch(connection: ReceivingConnection): void;
  /** Ends the connections whose message has been coming for too long; to be called now and then. */
  sweep(): void;
}

export interface ReceivingConnection {
  readonly webSocket: Pick<WebSocket, "isPaused"> & Pick<EventEmitter, "on">;
  /** The stream below it. */
  readonly socket: Duplex;
  cutOff(reason: CloseReason): void;
}

export interface UnfinishedBounds {
  readonly msMax: number;
  readonly bytesMax?: number;
}

interface Unfinished extends ReceivingConnection {
  bytes: number;
  beganAt: number;
}

/** RFC 6455, 5.2: the head and the mask of a client's ping or pong. */
const controlHeadBytes = 6;

/** Counts what comes after the last whole message, without reading what it is. */
export function createUnfinishedMessages({
  msMax,
  bytesMax = limits.unfinishedFramesBytesMax,
}: UnfinishedBounds): UnfinishedMessages {
  /** The connection whose message began first stands first. */
  const unfinished = new Set<Unfinished>();
  let total = 0;

  function hold(each: Unfinished, bytes: number): void {
    if (each.bytes === 0) each.beganAt = performance.now();
    total += bytes - each.bytes;
    each.bytes = bytes;
    if (bytes > 0) unfinished.add(each);
    else unfinished.delete(each);
  }

  function end(each: Unfinished): void {
    hold(each, 0);
    each.cutOff("unfinished_frame");
  }

  return {
    watch({ webSocket, socket, cutOff }) {
      const self = { webSocket, socket, cutOff, bytes: 0, beganAt: 0 };
      const count = (chunk: Buffer) => {
        hold(self, self.bytes + chunk.length);
        // Whoever sends a message as it can is done long before it is the oldest.
        for (const oldest of unfinished) {
          if (total <= bytesMax) return;
          end(oldest);
        }
      };
      const isNoMessage = (data: Buffer) =>
        hold(self, Math.max(0, self.bytes - controlHeadBytes - data.length));
      // Before the listener that makes messages of it.
      socket.prependListener("data", count);
      webSocket.on("message", () => hold(self, 0));
      webSocket.on("ping", isNoMessage);
      webSocket.on("pong", isNoMessage);
      const stop = () => {
        socket.off("data", count);
        hold(self, 0);
      };
      webSocket.on("error", stop);
      webSocket.on("close", stop);
    },
    sweep() {
      const now = performance.now();
      for (const each of unfinished) {
        if (now - each.beganAt <= msMax) return;
        // The client is not to blame where the broker itself does not read on.
        if (!each.webSocket.isPaused) end(each);
      }
    },
  };
}
