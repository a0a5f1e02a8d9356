import type { EventEmitter } from "node:events";
import { performance } from "node:perf_hooks";
import type { Duplex } from "node:stream";
import type { CloseReason } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { WebSocket } from "ws";

/** Messages of WebSockets that have begun and not ended: each is kept in memory for as long as its client likes (GUARD-15). */
export interface UnfinishedMessages {
  /** Begins with a connection of which nothing has come yet. */
  watch(connection: ReceivingConnection): ArrivingFrames;
  /** Ends the connections whose message has been coming for too long; to be called now and then. */
  sweep(): void;
}

/** To be told of what the library has made of the bytes that came. */
export interface ArrivingFrames {
  /** A message has come whole. */
  message(): void;
  /** A ping or a pong has, which neither belongs to a message nor ends one. */
  control(data: Buffer): void;
}

export interface ReceivingConnection {
  readonly webSocket: Pick<WebSocket, "isPaused"> & Pick<EventEmitter, "on">;
  /** The stream below it, of which the library reads already. */
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
  /** The chunk that is being read: whether a message ended in it, and its bytes that belong to none. */
  endsMessage: boolean;
  controlBytes: number;
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
    // Most chunks are whole messages.
    if (bytes === each.bytes) return;
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

  /** Comes after the library has read the chunk. */
  function count(each: Unfinished, chunk: Buffer): void {
    hold(each, each.endsMessage ? 0 : Math.max(0, each.bytes + chunk.length - each.controlBytes));
    each.endsMessage = false;
    each.controlBytes = 0;
    if (total <= bytesMax) return;
    // Whoever sends a message as it can is done long before it is the oldest.
    for (const oldest of unfinished) {
      end(oldest);
      if (total <= bytesMax) return;
    }
  }

  return {
    watch({ webSocket, socket, cutOff }) {
      const self = { webSocket, socket, cutOff, bytes: 0, beganAt: 0, endsMessage: false, controlBytes: 0 };
      const read = (chunk: Buffer) => count(self, chunk);
      socket.on("data", read);
      const stop = () => {
        socket.off("data", read);
        hold(self, 0);
      };
      webSocket.on("error", stop);
      webSocket.on("close", stop);
      return {
        message() {
          self.endsMessage = true;
        },
        control(data) {
          self.controlBytes += controlHeadBytes + data.length;
        },
      };
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
