import type { Duplex } from "node:stream";
import { type BrokerFrame, type CloseReason, closeCodes } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { WebSocket } from "ws";
import { textFrame } from "../../feed/delivery/entry.js";
import type { Sink } from "../../feed/delivery/subscription.js";
import { createReadWindow } from "./read-window.js";

/** One client's socket, for writing. Frames of one turn of the event loop go out together, in one write. */
export interface Connection extends Sink {
  /** Writes a frame of its own; `written` runs when it has left this process, not when the connection broke before. */
  send(frame: BrokerFrame, written?: (() => void) | null): void;
  /** Whether it has been full without being drained for longer than it may be (WS-6). */
  readonly stalled: boolean;
  /** Reads nothing more for so long, and goes on when `then` has run: what the client sends meanwhile waits in the network. */
  rest(ms: number, then: () => void): void;
  /** Takes what a pong brought, and says whether it was asked for. */
  answer(data: Buffer): boolean;
  close(reason: CloseReason): void;
  /** Ends it without waiting for the client's answer. */
  terminate(): void;
}

const finalPing = 0x89; // RFC 6455, 5.5.2
/** To copy more into one buffer takes longer than a second write, and as much memory again for every reader. */
const joinedBytesMax = 64 * 1024;

/**
 * @param socket - the stream below the WebSocket. Frames are written to it directly: a server's frames are not masked, so one
 * buffer serves every reader, where the library would build and write one for each (six times as slow).
 * @param windowBytes - may be on its way before the client shows that it reads
 */
export function createConnection(webSocket: WebSocket, socket: Duplex, windowBytes?: number): Connection {
  /** The frames of this turn of the event loop, and who is told when they have left. */
  let unsent: Buffer[] = [];
  let unsentBytes = 0;
  let whenWritten: (() => void)[] = [];
  let fullSince: number | null = null;
  let resting: NodeJS.Timeout | undefined;
  const drainListeners = new Set<() => void>();
  const window = createReadWindow({
    ask: (nonce) => put(Buffer.concat([Buffer.from([finalPing, nonce.length]), nonce])),
    opened: tellDrained,
    ...(windowBytes !== undefined && { bytes: windowBytes }),
  });

  socket.on("drain", drained);

  socket.once("close", () => clearTimeout(resting));

  function drained(): void {
    fullSince = null;
    readOn();
    tellDrained();
  }

  function readOn(): void {
    if (webSocket.isPaused && fullSince === null && resting === undefined) webSocket.resume();
  }

  function tellDrained(): void {
    for (const listener of drainListeners) listener();
  }

  function isLate(since: number | null): boolean {
    return since !== null && performance.now() - since > limits.undrainedMsMax;
  }

  function write(frame: Buffer, written?: (() => void) | null): void {
    if (webSocket.readyState !== webSocket.OPEN || socket.destroyed) return;
    put(frame);
    if (written) whenWritten.push(written);
    window.wrote(frame.length);
    if (unsentBytes + socket.writableLength <= limits.outboundBytesMax) return;
    fullSince ??= performance.now();
    // Who does not read replies gets no more of them: further requests wait in the network.
    webSocket.pause();
  }

  function put(frame: Buffer): void {
    if (unsentBytes + frame.length > joinedBytesMax) flush();
    if (unsent.length === 0) process.nextTick(flush);
    unsent.push(frame);
    unsentBytes += frame.length;
  }

  function flush(): void {
    const [only] = unsent;
    if (!only) return;
    const isOpen = webSocket.readyState === webSocket.OPEN && socket.writable;
    const frames = unsent.length === 1 ? only : Buffer.concat(unsent, unsentBytes);
    const tell = whenWritten;
    unsent = [];
    unsentBytes = 0;
    whenWritten = [];
    // Nothing follows a close frame.
    if (!isOpen) return;
    socket.write(frames, tell.length === 0 ? undefined : (error) => error ?? runAll(tell));
    // What the system takes at once leaves nothing to drain.
    if (fullSince !== null && !socket.writableNeedDrain) drained();
  }

  return {
    get ready() {
      return fullSince === null && window.closedSince === null && webSocket.readyState === webSocket.OPEN;
    },
    get room() {
      return window.room;
    },
    get stalled() {
      // What it answered may stand in the network, unread by us.
      return isLate(fullSince) || (!webSocket.isPaused && isLate(window.closedSince));
    },
    write: (frame) => write(frame),
    send: (frame, written) => write(textFrame(JSON.stringify(frame)), written),
    onDrain(listener) {
      drainListeners.add(listener);
      return () => drainListeners.delete(listener);
    },
    rest(ms, then) {
      resting = setTimeout(() => {
        resting = undefined;
        then();
        readOn();
      }, ms);
      webSocket.pause();
    },
    answer: window.answer,
    close(reason) {
      const { code, meaning } = closeCodes[reason];
      flush();
      webSocket.close(code, meaning);
    },
    terminate: () => webSocket.terminate(),
  };
}

function runAll(runs: readonly (() => void)[]): void {
  for (const run of runs) run();
}
