import type { Message } from "@merkle/wire";

export const replaySpeeds = [1, 10, 100] as const;
export type ReplaySpeed = (typeof replaySpeeds)[number];

/** A replay of the past: the moment in the address that it began at, and how far it has come since. */
export interface ReplayState {
  /** The `at` of the address that it began at, whose feed grows from there. */
  readonly anchor: string;
  /** The moment that is shown, in milliseconds. */
  readonly moment: number;
  /** When the document that is shown was written, or the anchor: it is read again only where it was written again. */
  readonly documentAt: string;
  /** How much time without anything was passed over just now. */
  readonly passedOverMs: number;
  readonly isPlaying: boolean;
}

/** Takes the messages after a sequence, as the replay reaches them. */
export interface ReplayFollower {
  /** Grows with what it was given. */
  after: number;
  onMessages(messages: readonly Message[]): void;
}

/** What every part of a page shows of a replay. Who plays it moves it on; a feed that is opened at its anchor follows it. */
export class Replay {
  #state: ReplayState | null = null;
  #follower: ReplayFollower | null = null;
  readonly #listeners = new Set<() => void>();

  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly current = (): ReplayState | null => this.#state;

  get follower(): ReplayFollower | null {
    return this.#follower;
  }

  /** The feed of a past moment follows the replay from there. */
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

  /** What is played for the moment in an address: where it began, or where it was stopped; null for any other. */
  of(at: string | null): ReplayState | null {
    const state = this.#state;
    if (state === null || at === null) return null;
    return at === state.anchor || Date.parse(at) === state.moment ? state : null;
  }

  /**
   * The moment whose feed is opened for an address: of a replay the one that it began at, since the feed has all that came
   * after.
   */
  anchorOf(at: string | null): string | null {
    return this.of(at)?.anchor ?? at;
  }

  /** Up to when a feed that was opened at a moment is read now. */
  momentOf(at: string | null): string | null {
    return this.#state !== null && this.#state.anchor === at
      ? new Date(this.#state.moment).toISOString()
      : at;
  }
}
