import { findRedactedMessage, MerkleError, type Message, type RedactedMessage } from "@merkle/wire";
import type { FeedSource, PageRequest } from "./feed-source";
import {
  addLive,
  addNewer,
  addOlder,
  emptyWindow,
  type FeedWindow,
  isCovered,
  removeTexts,
  toWindow,
} from "./feed-window";

/** A position for the feed to scroll to, once. */
export interface FeedPosition {
  /** The sequence of a message, or the end of the feed. */
  readonly at: number | "end";
  /**
   * `asked` centres and marks the message that the URL names. `unread` scrolls to the first unread message, below those already
   * read.
   */
  readonly as: "asked" | "unread" | "kept";
}

export interface FeedState {
  readonly status: "opening" | "ready" | "failed";
  /** The error that kept the feed from opening. */
  readonly problem: unknown;
  readonly window: FeedWindow;
  /** The highest known sequence of the feed. */
  readonly end: number;
  readonly place: FeedPosition | null;
  readonly older: PagingState;
  readonly newer: PagingState;
  /** When the feed was reloaded after a restore of the broker's database. */
  readonly refreshedAt: Date | null;
  /**
   * True if new messages are added to the window. The window has reached the end and has not dropped its newest messages since.
   */
  readonly isLive: boolean;
}

export interface PagingState {
  readonly loading: boolean;
  readonly problem: unknown;
}

export interface FeedStoreOptions {
  readonly source: FeedSource;
  /**
   * Minimum time between two notifications while messages stream in, in milliseconds. A single message is reported immediately.
   */
  readonly notifyIntervalMs?: number;
}

const idlePaging: PagingState = { loading: false, problem: null };

/**
 * A window onto a feed. It grows as the reader scrolls and, at the end of the feed, as live messages arrive. However
 * pages, live messages and reconnects interleave, the window has no gap and no duplicate (DASH-60).
 *
 * | Position            | Covers                                         | Moved by                      | Promise                               |
 * | ------------------- | ---------------------------------------------- | ----------------------------- | ------------------------------------- |
 * | `window.from`, `to` | the messages that were read, without a gap     | pages and live messages       | What is shown is complete (DASH-60).  |
 * | `end`               | all messages that are known to exist           | pages and live messages       | A live window grows up to it.         |
 * | epoch               | the history of the feed that both belong to    | the page that opens a window  | No other history is mixed in (CLIENT-4). |
 *
 * The store keeps `end` beside the cursor of the live feed, because a page may be ahead of the live messages, and a
 * filter leaves messages out of the window that the feed has delivered.
 */
export class FeedStore {
  readonly #source: FeedSource;
  readonly #notifyIntervalMs: number;
  readonly #listeners = new Set<() => void>();
  #state: FeedState = {
    status: "opening",
    problem: null,
    window: emptyWindow,
    end: 0,
    place: null,
    older: idlePaging,
    newer: idlePaging,
    refreshedAt: null,
    isLive: false,
  };
  /** Aborts the requests for the current window when another window replaces it. */
  #openController = new AbortController();
  #isOpening = false;
  #epoch: string | undefined;
  /** Messages redacted since the feed was opened. A page that was read earlier may still contain their text. */
  readonly #redacted = new Map<number, RedactedMessage>();
  #stopFollowing: (() => void) | undefined;
  #notifyTimer: ReturnType<typeof setTimeout> | undefined;
  #notifiedAt = Number.NEGATIVE_INFINITY;

  constructor({ source, notifyIntervalMs = 160 }: FeedStoreOptions) {
    this.#source = source;
    this.#notifyIntervalMs = notifyIntervalMs;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly getState = (): FeedState => this.#state;

  /**
   * Shows the feed at a position. If the window contains the position, this is immediate. Otherwise the store first reads a page.
   */
  async open(place: FeedPosition): Promise<void> {
    if (this.#state.status === "ready" && this.#has(place)) return this.#stayAt(place);
    await this.#openWith(
      place.at === "end" ? { is: "last" } : { is: "around", sequence: place.at },
      () => place,
    );
  }

  /** Reads the page before the window, unless there is none or a read is pending. */
  async loadOlder(): Promise<void> {
    const { status, older } = this.#state;
    const { from } = this.#state.window;
    if (status !== "ready" || older.loading || from <= 1) return;
    const page = await this.#readSide("older", { is: "before", sequence: from });
    if (!page) return;
    const { window, isLive } = this.#state;
    const grown = addOlder(window, page);
    this.#set({ window: grown, older: idlePaging, isLive: isLive && grown.to === window.to });
  }

  /** Reads the page after the window. A live window reads further pages until it reaches the end. */
  async loadNewer(): Promise<void> {
    const { status, newer } = this.#state;
    if (status !== "ready" || newer.loading) return;
    while (this.#state.window.to < this.#state.end) {
      const page = await this.#readSide("newer", { is: "after", sequence: this.#state.window.to });
      if (!page) return;
      const before = this.#state.window.to;
      const window = addNewer(this.#state.window, page);
      const end = Math.max(this.#state.end, page.last_sequence);
      const isLive = this.#state.isLive || page.newer_cursor === null;
      this.#set({ window, end, newer: idlePaging, isLive });
      if (!isLive || window.to === before) return;
    }
  }

  /** Aborts all requests. `open` starts the store again. */
  stop(): void {
    this.#openController.abort();
    this.#stopFollowing?.();
    this.#stopFollowing = undefined;
    clearTimeout(this.#notifyTimer);
    this.#notifyTimer = undefined;
  }

  /** Reloads the feed after a restore of the database. Returns the reader to the same message if it still exists. */
  async resync(reading: Message | null): Promise<void> {
    this.#epoch = undefined;
    this.#redacted.clear();
    const request: PageRequest =
      reading === null ? { is: "last" } : { is: "around", sequence: reading.sequence };
    await this.#openWith(
      request,
      ({ messages }) => {
        const match = messages.find(({ id }) => id === reading?.id);
        return match ? { at: match.sequence, as: "kept" } : { at: "end", as: "kept" };
      },
      new Date(),
    );
  }

  /** The message that the reader is at, for a resync. Null at the end of the feed. */
  reading: Message | null = null;

  /** Moves to a position inside the window without a request. Aborts a page that is being read for another position. */
  #stayAt(place: FeedPosition): void {
    if (this.#isOpening) this.#restart();
    if (this.#stopFollowing === undefined) this.#follow(this.#state.end);
    this.#set({ place: { ...place }, newer: idlePaging });
    this.#catchUp();
  }

  #restart(): AbortSignal {
    this.#openController.abort();
    this.#openController = new AbortController();
    this.#isOpening = false;
    this.#set({ older: idlePaging, newer: idlePaging });
    return this.#openController.signal;
  }

  #has({ at }: FeedPosition): boolean {
    const { window, end } = this.#state;
    return at === "end" ? window.to >= end : isCovered(window, at);
  }

  async #openWith(
    request: PageRequest,
    toPlace: (window: FeedWindow) => FeedPosition,
    refreshedAt = this.#state.refreshedAt,
  ): Promise<void> {
    const signal = this.#restart();
    this.#isOpening = true;
    // The current messages stay on the screen until the new page arrives.
    if (this.#state.status === "failed") this.#set({ status: "opening", problem: null });
    try {
      const page = await this.#source.readPage(request, this.#epoch, signal);
      if (!signal.aborted) this.#show(page, toPlace, refreshedAt);
    } catch (error) {
      if (!signal.aborted) this.#failToOpen(error);
    }
  }

  #show(
    page: Awaited<ReturnType<FeedSource["readPage"]>>,
    toPlace: (window: FeedWindow) => FeedPosition,
    refreshedAt: Date | null,
  ): void {
    // Aborts pages that were requested for the previous window, because they do not fit the new window.
    this.#restart();
    const isNew = this.#epoch !== page.epoch;
    this.#epoch = page.epoch;
    const window = toWindow(page);
    const end = isNew ? page.last_sequence : Math.max(this.#state.end, page.last_sequence);
    const isLive = page.newer_cursor === null;
    this.#set({ status: "ready", window, end, place: toPlace(window), refreshedAt, isLive });
    if (isNew || this.#stopFollowing === undefined) this.#follow(end);
    this.#catchUp();
  }

  #failToOpen(error: unknown): void {
    this.#isOpening = false;
    if (isResync(error)) return void this.resync(this.reading);
    if (this.#state.status === "ready") this.#set({ newer: { loading: false, problem: error } });
    else this.#set({ status: "failed", problem: error });
  }

  #follow(after: number): void {
    this.#stopFollowing?.();
    // Without the epoch, a restore between the page and the follow would mix the messages of two histories.
    this.#stopFollowing = this.#source.follow(
      { after, epoch: this.#epoch },
      {
        onMessages: (messages) => this.#receive(messages),
        onResync: () => {
          this.#stopFollowing = undefined;
          void this.resync(this.reading);
        },
        onError: (problem) => {
          this.#stopFollowing = undefined;
          this.#set({ newer: { loading: false, problem } });
        },
      },
    );
  }

  #receive(messages: readonly Message[]): void {
    for (const message of messages) {
      const redacted = findRedactedMessage(message);
      if (redacted) this.#redacted.set(redacted.sequence, redacted);
    }
    const end = Math.max(this.#state.end, messages.at(-1)?.sequence ?? 0);
    const canGrow = this.#state.isLive && this.#source.isWhole;
    const window = canGrow ? addLive(this.#state.window, messages) : this.#state.window;
    this.#setSoon({ window, end });
    this.#catchUp();
  }

  /**
   * Loads the missing messages if a live window is behind the end. This happens with a filter, or if live messages
   * overtook a page.
   */
  #catchUp(): void {
    const { window, end, isLive } = this.#state;
    if (isLive && window.to < end) void this.loadNewer();
  }

  async #readSide(side: "older" | "newer", request: PageRequest) {
    const { signal } = this.#openController;
    this.#setSoon({ [side]: { loading: true, problem: null } });
    try {
      const page = await this.#source.readPage(request, this.#epoch, signal);
      return signal.aborted ? null : page;
    } catch (error) {
      if (signal.aborted) return null;
      if (isResync(error)) void this.resync(this.reading);
      else this.#set({ [side]: { loading: false, problem: error } });
      return null;
    }
  }

  #set(change: Partial<FeedState>): void {
    this.#change(change);
    this.#notify();
  }

  #change(change: Partial<FeedState>): void {
    const { window } = change;
    this.#state = {
      ...this.#state,
      ...change,
      ...(window && this.#redacted.size > 0 && { window: removeTexts(window, this.#redacted) }),
    };
  }

  /** Throttles notifications, for changes that occur many times per second. */
  #setSoon(change: Partial<FeedState>): void {
    this.#change(change);
    const pause = this.#notifiedAt + this.#notifyIntervalMs - performance.now();
    if (pause <= 0) this.#notify();
    else this.#notifyTimer ??= setTimeout(() => this.#notify(), pause);
  }

  #notify(): void {
    clearTimeout(this.#notifyTimer);
    this.#notifyTimer = undefined;
    this.#notifiedAt = performance.now();
    for (const listener of [...this.#listeners]) listener();
  }
}

function isResync(error: unknown): boolean {
  return error instanceof MerkleError && error.code === "resync";
}
