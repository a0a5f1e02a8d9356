import type { Duplex } from "node:stream";
import { type BrokerFrame, type CloseReason, closeCodes } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { WebSocket } from "ws";
import { toTextFrame } from "../../feed/delivery/entry.js";
import type { Sink } from "../../feed/delivery/subscription.js";
import { createReadWindow, type ReadWindow } from "./read-window.js";

/** The writing side of one client's socket. Frames from one turn of the event loop are sent in one write. */
export interface ClientConnection extends Sink {
  /**
   * Sends a frame. `written` is called once the frame has left this process, unless the connection broke
   * before that.
   */
  send(frame: BrokerFrame, written?: (() => void) | null): void;
  /** Whether the connection has been full for longer than the limit (WS-6). */
  readonly isStalled: boolean;
  /**
   * Pauses reading for some time, then calls `then` and resumes. Frames that the client sends during the
   * pause wait in the network.
   */
  pauseReading(ms: number, then: () => void): void;
  /** Handles the payload of a pong. Returns whether the pong answers one of the broker's pings. */
  answer(data: Buffer): boolean;
  close(reason: CloseReason): void;
  /** Closes the connection without waiting for the client's close frame. */
  terminate(): void;
}

const finalPing = 0x89; // opcode of a ping (RFC 6455, 5.5.2)
/**
 * Maximum size of frames that are joined into one write. Copying more bytes takes longer than a second write,
 * and needs as much additional memory for each reader.
 */
const joinedBytesMax = 64 * 1024;

/**
 * Creates a connection.
 *
 * @param socket - the stream below the WebSocket. Frames are written directly to the stream. A server's
 * frames are not masked, so one buffer serves every reader. The library would build and write a frame for
 * each reader, which is six times as slow.
 * @param windowBytes - number of bytes that may be in flight before the client shows that it reads
 */
export function createConnection(
  webSocket: WebSocket,
  socket: Duplex,
  windowBytes?: number,
): ClientConnection {
  return new SocketConnection(webSocket, socket, windowBytes);
}

class SocketConnection implements ClientConnection {
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  readonly #window: ReadWindow;
  readonly #drainListeners = new Set<() => void>();
  readonly #flush = (): void => this.#writeUnsent();
  /**
   * The frames to send in this turn of the event loop, and the callbacks to run once they have been written.
   */
  #unsent: Buffer[] = [];
  #unsentBytes = 0;
  #whenWritten: (() => void)[] = [];
  #fullSince: number | null = null;
  #pauseTimer: NodeJS.Timeout | undefined;

  constructor(webSocket: WebSocket, socket: Duplex, windowBytes: number | undefined) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#window = createReadWindow({
      ask: (nonce) => this.#put(Buffer.concat([Buffer.from([finalPing, nonce.length]), nonce])),
      onOpened: () => this.#notifyDrained(),
      ...(windowBytes !== undefined && { bytes: windowBytes }),
    });
    socket.on("drain", () => this.#drained());
    socket.once("close", () => clearTimeout(this.#pauseTimer));
  }

  get isReady(): boolean {
    return this.#fullSince === null && this.#window.closedSince === null && this.#isOpen;
  }

  get room(): number {
    return this.#window.room;
  }

  get isStalled(): boolean {
    // While reading is paused, the client's pong may still be waiting in the network.
    return isLate(this.#fullSince) || (!this.#webSocket.isPaused && isLate(this.#window.closedSince));
  }

  write(frame: Buffer): void {
    this.#write(frame, null);
  }

  send(frame: BrokerFrame, written: (() => void) | null = null): void {
    this.#write(toTextFrame(JSON.stringify(frame)), written);
  }

  onDrain(listener: () => void): () => void {
    this.#drainListeners.add(listener);
    return () => this.#drainListeners.delete(listener);
  }

  pauseReading(ms: number, then: () => void): void {
    this.#pauseTimer = setTimeout(() => {
      this.#pauseTimer = undefined;
      then();
      this.#resumeReading();
    }, ms);
    this.#webSocket.pause();
  }

  answer(data: Buffer): boolean {
    return this.#window.answer(data);
  }

  close(reason: CloseReason): void {
    const { code, meaning } = closeCodes[reason];
    this.#writeUnsent();
    this.#webSocket.close(code, meaning);
  }

  terminate(): void {
    this.#webSocket.terminate();
  }

  get #isOpen(): boolean {
    return this.#webSocket.readyState === this.#webSocket.OPEN;
  }

  #write(frame: Buffer, written: (() => void) | null): void {
    if (!this.#isOpen || this.#socket.destroyed) return;
    this.#put(frame);
    if (written) this.#whenWritten.push(written);
    this.#window.countWritten(frame.length);
    if (this.#unsentBytes + this.#socket.writableLength <= limits.outboundBytesMax) return;
    this.#fullSince ??= performance.now();
    // If a client does not read its replies, the broker stops reading its requests, which then wait in the
    // network.
    this.#webSocket.pause();
  }

  #put(frame: Buffer): void {
    if (this.#unsentBytes + frame.length > joinedBytesMax) this.#writeUnsent();
    if (this.#unsent.length === 0) process.nextTick(this.#flush);
    this.#unsent.push(frame);
    this.#unsentBytes += frame.length;
  }

  #writeUnsent(): void {
    const [only] = this.#unsent;
    if (!only) return;
    const frames = this.#unsent.length === 1 ? only : Buffer.concat(this.#unsent, this.#unsentBytes);
    const callbacks = this.#whenWritten;
    this.#unsent = [];
    this.#unsentBytes = 0;
    this.#whenWritten = [];
    // No frame may be sent after a close frame.
    if (!this.#isOpen || !this.#socket.writable) return;
    this.#socket.write(frames, callbacks.length === 0 ? undefined : (error) => error ?? runAll(callbacks));
    // No "drain" event follows if the operating system accepted the frames immediately.
    if (this.#fullSince !== null && !this.#socket.writableNeedDrain) this.#drained();
  }

  #drained(): void {
    this.#fullSince = null;
    this.#resumeReading();
    this.#notifyDrained();
  }

  #resumeReading(): void {
    if (this.#webSocket.isPaused && this.#fullSince === null && this.#pauseTimer === undefined) {
      this.#webSocket.resume();
    }
  }

  #notifyDrained(): void {
    for (const listener of this.#drainListeners) listener();
  }
}

function isLate(since: number | null): boolean {
  return since !== null && performance.now() - since > limits.undrainedMsMax;
}

function runAll(runs: readonly (() => void)[]): void {
  for (const run of runs) run();
}

/** Admits a client's frames in order, at the rate allowed for the client's address (GUARD-4). */
export interface FrameGate {
  /**
   * Handles a frame now or once the rate limit allows it.
   *
   * @param receive - handles the frame
   */
  take(receive: () => void): void;
  /** Drops all waiting frames. */
  close(): void;
}

export interface FrameGateOptions {
  readonly connection: Pick<ClientConnection, "pauseReading">;
  /** Counts a frame and returns 0, or returns the number of milliseconds that the frame must wait. */
  readonly admit: () => number;
  /** Called when too many frames wait. */
  readonly onOverflow: () => void;
}

/** Minimum delay of a frame. Shorter delays would cost more than handling the frames. */
const waitMsMin = 20;

/**
 * Creates a gate. A frame that arrives too early waits in the gate, and the connection stops reading, so that
 * later frames wait in the network. An honest client is delayed but loses nothing, and a flood delays only
 * its sender. The number of waiting frames is limited, because tiny frames take many times their size in
 * memory.
 */
export function createFrameGate({ connection, admit, onOverflow }: FrameGateOptions): FrameGate {
  const waiting: (() => void)[] = [];
  let isClosed = false;

  function admitOrPause(): boolean {
    const waitMs = admit();
    if (waitMs > 0) connection.pauseReading(Math.max(waitMs, waitMsMin), admitWaiting);
    return waitMs <= 0;
  }

  function admitWaiting(): void {
    let admittedCount = 0;
    // Handling a frame may close the gate, which empties the list of waiting frames.
    for (const receive of waiting) {
      if (!admitOrPause()) break;
      admittedCount += 1;
      receive();
    }
    waiting.splice(0, admittedCount);
  }

  function close(): void {
    isClosed = true;
    waiting.length = 0;
  }

  return {
    take(receive) {
      if (isClosed) return;
      if (waiting.length === 0 && admitOrPause()) return receive();
      waiting.push(receive);
      if (waiting.length <= limits.waitingFramesPerConnectionMax) return;
      close();
      onOverflow();
    },
    close,
  };
}
