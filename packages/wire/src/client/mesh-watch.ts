import { errorCodes, MerkleError } from "../core/errors.js";
import type { MeshChangedKind } from "../feed/event-kind.js";
import type { BrokerFrame, ClientFrame } from "../transports/frames.js";
import { retryPauseMs } from "./backoff.js";
import { callListener } from "./call-listener.js";
import type { Requests } from "./requests.js";

/** A read of this kind would now differ; where `session_id` is given, of that session alone. */
export interface MeshChange {
  readonly kind: MeshChangedKind;
  readonly session_id: string | null;
}

export interface WatchMeshOptions {
  /** A person's: then what that person reads and puts away elsewhere is told too. */
  readonly credential?: string;
  onChanged(change: MeshChange): void;
  /** Called when the watch stands again after a lost connection: changes in between were not told, so read again. */
  onRestored?(): void;
  /** Called when the watch has ended for good, other than by `close()`. */
  onError?(error: MerkleError): void;
}

export interface MeshWatch {
  /**
   * Resolves when the broker first confirmed it, so that whatever is read from then on is kept up to date; rejects when it
   * ended before. Need not be awaited.
   */
  readonly ready: Promise<void>;
  /** Ends it; no listener is called any more. May be called twice. */
  close(): void;
}

type MeshChangedFrame = Extract<BrokerFrame, { type: "mesh_changed" }>;
type Phase = "detached" | "asking" | "live" | "ended";

/** At most one, since the broker keeps one for a connection (CLIENT-10). */
export class MeshWatches {
  readonly #requests: Requests;
  #current: LiveMeshWatch | undefined;
  #up = false;
  #end: MerkleError | undefined;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  watch(options: WatchMeshOptions): MeshWatch {
    const watch: LiveMeshWatch = new LiveMeshWatch(options, this.#requests, () => {
      if (this.#current === watch) this.#current = undefined;
    });
    const refusal = this.#end ?? (this.#current && alreadyWatching());
    if (refusal) {
      // Told later, as by the broker: a listener may want to use the watch that is about to be returned.
      queueMicrotask(() => watch.fail(refusal));
      return watch;
    }
    this.#current = watch;
    if (this.#up) watch.attach();
    return watch;
  }

  up(): void {
    this.#up = true;
    this.#current?.attach();
  }

  down(): void {
    this.#up = false;
    this.#current?.detach();
  }

  receive({ kind, session_id }: MeshChangedFrame): void {
    this.#current?.receive({ kind, session_id });
  }

  close(error: MerkleError): void {
    this.#end = error;
    this.#current?.close();
  }

  fail(error: MerkleError): void {
    this.#end = error;
    this.#current?.fail(error);
  }
}

const retryMsDefault = 1_000;

/** One watch over all connections: it is asked for again on each. */
class LiveMeshWatch implements MeshWatch {
  readonly ready: Promise<void>;
  readonly #options: WatchMeshOptions;
  readonly #requests: Requests;
  readonly #ended: () => void;
  #settleReady: { resolve: () => void; reject: (error: MerkleError) => void } | undefined;
  #phase: Phase = "detached";
  #stoodBefore = false;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: WatchMeshOptions, requests: Requests, ended: () => void) {
    this.#options = options;
    this.#requests = requests;
    this.#ended = ended;
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    this.ready.catch(() => undefined); // Whoever does not await it is told by `onError`.
  }

  attach(): void {
    if (this.#phase === "ended") return;
    this.#phase = "asking";
    const { credential } = this.#options;
    const team = credential === undefined ? {} : { team_id: credential };
    this.#ask({ type: "watch_mesh", ...team }, (error) => {
      if (this.#phase !== "asking") return;
      if (error) this.#refused(error);
      else this.#stand();
    });
  }

  detach(): void {
    clearTimeout(this.#retryTimer);
    if (this.#phase !== "ended") this.#phase = "detached";
  }

  receive(change: MeshChange): void {
    if (this.#phase === "live") callListener(() => this.#options.onChanged(change));
  }

  close(): void {
    if (this.#phase === "ended") return;
    if (this.#phase !== "detached") this.#ask({ type: "unwatch_mesh" }, () => undefined);
    this.#finish(new MerkleError("unavailable", "The watch was closed before it was ready."));
  }

  fail(error: MerkleError): void {
    if (this.#phase === "ended") return;
    this.#finish(error);
    callListener(() => this.#options.onError?.(error));
  }

  #stand(): void {
    const restored = this.#stoodBefore;
    this.#phase = "live";
    this.#stoodBefore = true;
    this.#settleReady?.resolve();
    if (restored) callListener(() => this.#options.onRestored?.());
  }

  #refused(error: MerkleError): void {
    if (!errorCodes[error.code].retry) return this.fail(error);
    this.#retryTimer = setTimeout(() => this.attach(), retryPauseMs(error) ?? retryMsDefault);
  }

  #ask(frame: WithoutId<WatchFrame>, answered: (error: MerkleError | undefined) => void): void {
    const id = this.#requests.nextId();
    this.#requests.addControl({
      id,
      subject: "mesh",
      text: JSON.stringify({ ...frame, id } satisfies ClientFrame),
      answered: (answer) => answered("error" in answer ? answer.error : undefined),
    });
  }

  #finish(error: MerkleError): void {
    clearTimeout(this.#retryTimer);
    this.#phase = "ended";
    this.#settleReady?.reject(error);
    this.#ended();
  }
}

type WatchFrame = Extract<ClientFrame, { type: "watch_mesh" | "unwatch_mesh" }>;
type WithoutId<Frame> = Frame extends unknown ? Omit<Frame, "id"> : never;

function alreadyWatching(): MerkleError {
  return new MerkleError(
    "conflict",
    "This client already watches the mesh. Close that watch first, or share it.",
  );
}
