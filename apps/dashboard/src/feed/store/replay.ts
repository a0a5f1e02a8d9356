import type { Message } from "@merkle/wire";

export const replaySpeeds = [1, 10, 100] as const;
export type ReplaySpeed = (typeof replaySpeeds)[number];

/** A replay of the past: its start and its current moment. */
export interface ReplayState {
  /** The `at` parameter of the URL where the replay started. The feed grows from this moment. */
  readonly anchor: string;
  /** The current moment of the replay, in milliseconds. */
  readonly moment: number;
  /**
   * When the shown document version was written, or the anchor if the document has not been written since. The document
   * is read again only when this changes.
   */
  readonly documentAt: string;
  /** Length of the idle period that the replay has just skipped. */
  readonly skippedMs: number;
  readonly isPlaying: boolean;
}

/** Receives the messages after a sequence as the replay reaches them. */
export interface ReplayFollower {
  /** The highest sequence delivered so far. */
  after: number;
  onMessages(messages: readonly Message[]): void;
}

/** The replay state that all parts of a page share. The player advances it, and a feed opened at its anchor follows it. */
export class Replay {
  #state: ReplayState | null = null;
  #follower: ReplayFollower | null = null;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly getState = (): ReplayState | null => this.#state;

  get follower(): ReplayFollower | null {
    return this.#follower;
  }

  /** Registers the feed of a past moment. It receives the messages that the replay reaches. */
  follow(follower: ReplayFollower): () => void {
    this.#follower = follower;
    return () => {
      if (this.#follower === follower) this.#follower = null;
    };
  }

  set(state: ReplayState | null): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }

  /**
   * Returns the replay if `at`, the moment in the URL, is the replay's anchor or current moment. Otherwise returns
   * null.
   */
  findAt(at: string | null): ReplayState | null {
    const state = this.#state;
    if (state === null || at === null) return null;
    return at === state.anchor || Date.parse(at) === state.moment ? state : null;
  }

  /**
   * Returns the moment to open the feed at. For a replay this is its anchor, because the feed already contains everything since.
   */
  toAnchor(at: string | null): string | null {
    return this.findAt(at)?.anchor ?? at;
  }

  /**
   * Returns the moment that a feed opened at `at` currently shows: the replay's current moment if it started at `at`, otherwise
   * `at`.
   */
  toMoment(at: string | null): string | null {
    return this.#state !== null && this.#state.anchor === at
      ? new Date(this.#state.moment).toISOString()
      : at;
  }
}
