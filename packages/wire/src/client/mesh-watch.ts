import { errorCodes, MerkleError } from "../core/errors.js";
import type { MeshChangedKind } from "../feed/event-kind.js";
import type { ClientFrame, MeshChangedFrame } from "../transports/frames.js";
import { toRetryPauseMs } from "./backoff.js";
import { callListener } from "./call-listener.js";
import type { Requests } from "./requests.js";

/**
 * A hint that reading data of this kind again would return something new. If `session_id` is set, this
 * applies only to that session.
 */
export interface MeshChange {
  readonly kind: MeshChangedKind;
  readonly session_id: string | null;
}

export interface WatchMeshOptions {
  /**
   * A person's credential. If given, changes that the person makes elsewhere, such as read positions and
   * dismissals, are reported too.
   */
  readonly credential?: string;
  onChanged(change: MeshChange): void;
  /**
   * Called when the watch is active again after a lost connection. Changes during the interruption were not
   * reported, so everything must be read again.
   */
  onRestored?(): void;
  /** Called when the watch has ended permanently, except after `close()`. */
  onError?(error: MerkleError): void;
}

export interface MeshWatch {
  /**
   * Resolves when the broker first confirms the watch. All changes after that are reported. Rejects if the
   * watch ends first. Need not be awaited.
   */
  readonly ready: Promise<void>;
  /** Ends the watch, after which no listener is called. May be called more than once. */
  close(): void;
}

type WatchPhase = "detached" | "asking" | "live" | "ended";

/**
 * Manages the client's watch. There can be only one, because the broker keeps one per connection (CLIENT-10).
 */
export class MeshWatches {
  readonly #requests: Requests;
  #current: LiveMeshWatch | undefined;
  #isAttached = false;
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
      // Fails asynchronously, as if the broker had refused, because a listener may want to use the watch that
      // is about to be returned.
      queueMicrotask(() => watch.fail(refusal));
      return watch;
    }
    this.#current = watch;
    if (this.#isAttached) watch.attach();
    return watch;
  }

  attach(): void {
    this.#isAttached = true;
    this.#current?.attach();
  }

  detach(): void {
    this.#isAttached = false;
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

/** A watch that persists across connections. It is requested again on each new connection. */
class LiveMeshWatch implements MeshWatch {
  readonly ready: Promise<void>;
  readonly #options: WatchMeshOptions;
  readonly #requests: Requests;
  readonly #onEnded: () => void;
  #settleReady: { resolve: () => void; reject: (error: MerkleError) => void } | undefined;
  #phase: WatchPhase = "detached";
  #wasLive = false;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: WatchMeshOptions, requests: Requests, onEnded: () => void) {
    this.#options = options;
    this.#requests = requests;
    this.#onEnded = onEnded;
    this.ready = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    this.ready.catch(() => undefined); // Callers that do not await it are notified through `onError`.
  }

  attach(): void {
    if (this.#phase === "ended") return;
    this.#phase = "asking";
    const { credential } = this.#options;
    const team = credential === undefined ? {} : { team_id: credential };
    this.#ask({ type: "watch_mesh", ...team }, (error) => {
      if (this.#phase !== "asking") return;
      if (error) this.#handleRefusal(error);
      else this.#goLive();
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

  #goLive(): void {
    const isRestored = this.#wasLive;
    this.#phase = "live";
    this.#wasLive = true;
    this.#settleReady?.resolve();
    if (isRestored) callListener(() => this.#options.onRestored?.());
  }

  #handleRefusal(error: MerkleError): void {
    if (!errorCodes[error.code].retry) return this.fail(error);
    this.#retryTimer = setTimeout(() => this.attach(), toRetryPauseMs(error) ?? retryMsDefault);
  }

  #ask(frame: WithoutId<WatchFrame>, onAnswered: (error: MerkleError | undefined) => void): void {
    const id = this.#requests.nextId();
    this.#requests.addControl({
      id,
      subject: "mesh",
      text: JSON.stringify({ ...frame, id } satisfies ClientFrame),
      onAnswered: (answer) => onAnswered("error" in answer ? answer.error : undefined),
    });
  }

  #finish(error: MerkleError): void {
    clearTimeout(this.#retryTimer);
    this.#phase = "ended";
    this.#settleReady?.reject(error);
    this.#onEnded();
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
