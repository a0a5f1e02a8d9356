import type { EventEmitter } from "node:events";
import { performance } from "node:perf_hooks";
import type { Duplex } from "node:stream";
import type { CloseReason } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { WebSocket } from "ws";

/**
 * Tracks WebSocket messages that have begun but not ended. Without this tracking, a client could keep such
 * messages in memory indefinitely (GUARD-15).
 */
export interface UnfinishedMessages {
  /** Starts tracking a connection, before any data has arrived. */
  watch(connection: ReceivingConnection): ArrivingFrames;
  /** Closes connections whose current message has been arriving for too long. Call regularly. */
  sweep(): void;
}

/** The events that the WebSocket library reports about incoming bytes. */
export interface ArrivingFrames {
  /** Call when a message is complete. */
  onMessage(): void;
  /** Call when a ping or pong has arrived. Such a frame is not part of a message and does not end one. */
  onControlFrame(data: Buffer): void;
}

export interface ReceivingConnection {
  readonly webSocket: Pick<WebSocket, "isPaused"> & Pick<EventEmitter, "on">;
  /** The underlying stream, from which the library already reads. */
  readonly socket: Duplex;
  cutOff(reason: CloseReason): void;
}

export interface UnfinishedBounds {
  readonly msMax: number;
  readonly bytesMax?: number;
}

interface TrackedConnection extends ReceivingConnection {
  bytes: number;
  beganAt: number;
  /**
   * State of the current chunk: whether a message ended in the chunk, and how many of its bytes belong to
   * control frames.
   */
  hasMessageEnded: boolean;
  controlBytes: number;
}

/** Size of the header and mask of a client's ping or pong (RFC 6455, section 5.2). */
const controlHeadBytes = 6;

/** Creates a tracker that counts the bytes received after the last complete message, without parsing them. */
export function createUnfinishedMessages({
  msMax,
  bytesMax = limits.unfinishedFramesBytesMax,
}: UnfinishedBounds): UnfinishedMessages {
  /** Unfinished messages, ordered by when they began. The oldest comes first. */
  const unfinished = new Set<TrackedConnection>();
  let total = 0;

  function setBytes(each: TrackedConnection, bytes: number): void {
    // Most chunks consist of whole messages, so nothing changes.
    if (bytes === each.bytes) return;
    if (each.bytes === 0) each.beganAt = performance.now();
    total += bytes - each.bytes;
    each.bytes = bytes;
    if (bytes > 0) unfinished.add(each);
    else unfinished.delete(each);
  }

  function end(each: TrackedConnection): void {
    setBytes(each, 0);
    each.cutOff("unfinished_frame");
  }

  /** Counts a chunk after the library has parsed it. */
  function count(each: TrackedConnection, chunk: Buffer): void {
    setBytes(each, each.hasMessageEnded ? 0 : Math.max(0, each.bytes + chunk.length - each.controlBytes));
    each.hasMessageEnded = false;
    each.controlBytes = 0;
    if (total <= bytesMax) return;
    // Connections with the oldest unfinished messages are closed first: a client that sends at normal speed
    // finishes long before its message becomes the oldest.
    for (const oldest of unfinished) {
      end(oldest);
      if (total <= bytesMax) return;
    }
  }

  return {
    watch({ webSocket, socket, cutOff }) {
      const self = {
        webSocket,
        socket,
        cutOff,
        bytes: 0,
        beganAt: 0,
        hasMessageEnded: false,
        controlBytes: 0,
      };
      const read = (chunk: Buffer) => count(self, chunk);
      socket.on("data", read);
      const stop = () => {
        socket.off("data", read);
        setBytes(self, 0);
      };
      webSocket.on("error", stop);
      webSocket.on("close", stop);
      return {
        onMessage() {
          self.hasMessageEnded = true;
        },
        onControlFrame(data) {
          self.controlBytes += controlHeadBytes + data.length;
        },
      };
    },
    sweep() {
      const now = performance.now();
      for (const each of unfinished) {
        if (now - each.beganAt <= msMax) return;
        // If the broker itself has paused reading, the client is not to blame.
        if (!each.webSocket.isPaused) end(each);
      }
    },
  };
}
