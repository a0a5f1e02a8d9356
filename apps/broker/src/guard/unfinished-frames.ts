import { performance } from "node:perf_hooks";
import type { Duplex } from "node:stream";
import { type CloseReason, limits } from "@merkle/wire";
import { toAddressBlock } from "./address-block.js";
import { createFrameScanner } from "./frame-scanner.js";

/** Frames that have begun and not ended, of all connections: each would be kept in memory for as long as its client likes (GUARD-15). */
export interface UnfinishedFrames {
  /** Begins with a connection of which nothing has come yet. */
  watch(connection: ReceivingConnection): WatchedFrames;
  /** Ends the connections whose frame has been coming for too long; to be called now and then. */
  sweep(): void;
}

export interface WatchedFrames {
  /** Counts what its client sent, before anything is made of it; false when nothing is to be made of it or of what follows. */
  count(chunk: Buffer): boolean;
  /** Nothing is made any more of what comes. */
  stop(): void;
}

export interface ReceivingConnection {
  /** The stream below. */
  readonly socket: Duplex;
  readonly address: string;
  /** Whether the broker itself does not read on: the client is not to blame then. */
  readonly isPaused: () => boolean;
  /** Told how many pieces of messages came that are not their last. */
  countPieces(pieces: number): void;
  /** Told once that a message came in too many small pieces (GUARD-10). */
  crumbled(): void;
  cutOff(reason: CloseReason): void;
}

export interface UnfinishedBounds {
  readonly bytesMax: number;
  readonly msMax: number;
}

interface Receiving extends ReceivingConnection {
  readonly block: string;
  beganAt: number;
  bytes: number;
  stop(): void;
}

/** What keeping a piece takes beside its bytes. */
const pieceBytes = 256;

export function createUnfinishedFrames({
  msMax,
  bytesMax = limits.unfinishedFramesBytesMax,
}: Pick<UnfinishedBounds, "msMax"> & Partial<UnfinishedBounds>): UnfinishedFrames {
  /** Whose frame began first stands first. */
  const unfinished = new Set<Receiving>();
  const bytesOfBlocks = new Map<string, number>();
  let bytes = 0;

  function hold(each: Receiving, held: number): void {
    const more = held - each.bytes;
    each.bytes = held;
    bytes += more;
    const ofBlock = (bytesOfBlocks.get(each.block) ?? 0) + more;
    if (ofBlock === 0) bytesOfBlocks.delete(each.block);
    else bytesOfBlocks.set(each.block, ofBlock);
    if (held === 0) unfinished.delete(each);
    else if (!unfinished.has(each)) {
      each.beganAt = performance.now();
      unfinished.add(each);
    }
  }

  function end(each: Receiving): void {
    each.stop();
    each.cutOff("unfinished_frame");
  }

  /** Of the address that holds the most the oldest goes: whoever sends a frame as it can is done long before. */
  function makeRoom(): void {
    while (bytes > bytesMax) {
      const [largest] = [...bytesOfBlocks].sort(([, a], [, b]) => b - a);
      const oldest = [...unfinished].find(({ block }) => block === largest?.[0]);
      if (!oldest) return;
      end(oldest);
    }
  }

  return {
    watch(connection) {
      const { socket } = connection;
      const scanner = createFrameScanner();
      /** Pieces of the network's, of which none is the frame's end. */
      let chunks = 0;
      let isStopped = false;
      const self: Receiving = {
        ...connection,
        block: toAddressBlock(connection.address),
        beganAt: 0,
        bytes: 0,
        stop() {
          isStopped = true;
          hold(self, 0);
        },
      };

      function count(chunk: Buffer): boolean {
        if (isStopped) return !scanner.isCrumbled;
        const ended = scanner.take(chunk);
        if (scanner.isCrumbled) {
          self.stop();
          connection.crumbled();
          return false;
        }
        if (ended > 0) connection.countPieces(ended);
        keep(chunk);
        return true;
      }

      function keep(chunk: Buffer): void {
        const { bytes: begun, pieces } = scanner.unfinished;
        if (begun === 0 && self.bytes === 0) return;
        // Another frame than that which was unfinished before has begun in this very chunk.
        const isAnother = begun <= chunk.length;
        chunks = begun === 0 || isAnother ? 1 : chunks + 1;
        if (isAnother) hold(self, 0);
        if (begun > 0) hold(self, begun + (chunks + pieces) * pieceBytes);
        makeRoom();
      }

      socket.once("close", self.stop);
      return { count, stop: self.stop };
    },
    sweep() {
      const now = performance.now();
      for (const each of unfinished) {
        if (now - each.beganAt <= msMax) return;
        if (!each.isPaused()) end(each);
      }
    },
  };
}
