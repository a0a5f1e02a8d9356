import type { Duplex } from "node:stream";
import { type BrokerFrame, type CloseReason, closeCodes } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { WebSocket } from "ws";
import { textFrame } from "../../feed/delivery/entry.js";
import type { Sink } from "../../feed/delivery/subscription.js";
import { createReadWindow, type ReadWindow } from "./read-window.js";

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
  return new SocketConnection(webSocket, socket, windowBytes);
}

class SocketConnection implements Connection {
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  readonly #window: ReadWindow;
  readonly #drainListeners = new Set<() => void>();
  readonly #flush = (): void => this.#writeUnsent();
  /** The frames of this turn of the event loop, and who is told when they have left. */
  #unsent: Buffer[] = [];
  #unsentBytes = 0;
  #whenWritten: (() => void)[] = [];
  #fullSince: number | null = null;
  #resting: NodeJS.Timeout | undefined;

  constructor(webSocket: WebSocket, socket: Duplex, windowBytes: number | undefined) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#window = createReadWindow({
      ask: (nonce) => this.#put(Buffer.concat([Buffer.from([finalPing, nonce.length]), nonce])),
      opened: () => this.#tellDrained(),
      ...(windowBytes !== undefined && { bytes: windowBytes }),
    });
    socket.on("drain", () => this.#drained());
    socket.once("close", () => clearTimeout(this.#resting));
  }

  get ready(): boolean {
    return this.#fullSince === null && this.#window.closedSince === null && this.#isOpen;
  }

  get room(): number {
    return this.#window.room;
  }

  get stalled(): boolean {
    // While reading is paused, the client's answer to a ping may stand in the network, unread by us.
    return isLate(this.#fullSince) || (!this.#webSocket.isPaused && isLate(this.#window.closedSince));
  }

  write(frame: Buffer): void {
    this.#write(frame, null);
  }

  send(frame: BrokerFrame, written: (() => void) | null = null): void {
    this.#write(textFrame(JSON.stringify(frame)), written);
  }

  onDrain(listener: () => void): () => void {
    this.#drainListeners.add(listener);
    return () => this.#drainListeners.delete(listener);
  }

  rest(ms: number, then: () => void): void {
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      then();
      this.#readOn();
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
    this.#window.wrote(frame.length);
    if (this.#unsentBytes + this.#socket.writableLength <= limits.outboundBytesMax) return;
    this.#fullSince ??= performance.now();
    // A client that does not read its replies gets no more of them: its further requests wait in the network.
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
    const tell = this.#whenWritten;
    this.#unsent = [];
    this.#unsentBytes = 0;
    this.#whenWritten = [];
    // Nothing follows a close frame.
    if (!this.#isOpen || !this.#socket.writable) return;
    this.#socket.write(frames, tell.length === 0 ? undefined : (error) => error ?? runAll(tell));
    // Frames that the system takes at once leave nothing to drain.
    if (this.#fullSince !== null && !this.#socket.writableNeedDrain) this.#drained();
  }

  #drained(): void {
    this.#fullSince = null;
    this.#readOn();
    this.#tellDrained();
  }

  #readOn(): void {
    if (this.#webSocket.isPaused && this.#fullSince === null && this.#resting === undefined) {
      this.#webSocket.resume();
    }
  }

  #tellDrained(): void {
    for (const listener of this.#drainListeners) listener();
  }
}

function isLate(since: number | null): boolean {
  return since !== null && performance.now() - since > limits.undrainedMsMax;
}

function runAll(runs: readonly (() => void)[]): void {
  for (const run of runs) run();
}

/** Lets a client's frames through as fast as its address may send them, in their order (GUARD-4). */
export interface FrameGate {
  /** @param receive - does what the frame asks for */
  take(receive: () => void): void;
  /** Drops what waits. */
  close(): void;
}

export interface FrameGateOptions {
  readonly connection: Pick<Connection, "rest">;
  /** Counts a frame, or says how many milliseconds it has to wait. */
  readonly admit: () => number;
  /** Told when more wait than may. */
  readonly overflow: () => void;
}

/** Waiting less would be more work than the frames are. */
const waitMsMin = 20;

/**
 * A frame that comes too soon waits here, unread, and the connection reads nothing more meanwhile: what follows waits in the
 * network. So an honest client is late and misses nothing, and a flood costs its sender alone. What had been read before is kept
 * up to a bound: tiny frames take many times their size in memory.
 */
export function createFrameGate({ connection, admit, overflow }: FrameGateOptions): FrameGate {
  const waiting: (() => void)[] = [];
  let isClosed = false;

  function admitOrRest(): boolean {
    const waitMs = admit();
    if (waitMs > 0) connection.rest(Math.max(waitMs, waitMsMin), goOn);
    return waitMs <= 0;
  }

  function goOn(): void {
    let through = 0;
    // A frame's work may close the gate, and so empty the list.
    for (const receive of waiting) {
      if (!admitOrRest()) break;
      through += 1;
      receive();
    }
    waiting.splice(0, through);
  }

  function close(): void {
    isClosed = true;
    waiting.length = 0;
  }

  return {
    take(receive) {
      if (isClosed) return;
      if (waiting.length === 0 && admitOrRest()) return receive();
      waiting.push(receive);
      if (waiting.length <= limits.waitingFramesPerConnectionMax) return;
      close();
      overflow();
    },
    close,
  };
}
