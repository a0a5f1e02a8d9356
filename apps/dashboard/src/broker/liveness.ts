import type { ConnectionState } from "@merkle/wire/client";

/** The state of the connection, as shown to people. */
export type Liveness =
  | { readonly is: "connecting" }
  | { readonly is: "live" }
  /** The connection was lost a moment ago and is being retried. */
  | { readonly is: "reconnecting"; readonly retryAt: number }
  /** The connection has been lost for a while. `since` is a `Date.now()` value. */
  | { readonly is: "offline"; readonly since: number }
  /**
   * The connection has just been restored. If `refreshed` is true, the database was restored and everything was read
   * again.
   */
  | {
      readonly is: "back";
      readonly offlineMs: number;
      readonly isRefreshed: boolean;
      readonly filledIn: number;
    }
  /** The broker's version has changed since this page was loaded. */
  | { readonly is: "outdated"; readonly version: string }
  | { readonly is: "ended"; readonly reason: string };

/** A lost connection is shown as reconnecting for this long, and as offline afterwards. */
const reconnectingMsMax = 10_000;
/** Messages that arrive within this time after a reconnect count as missed while disconnected. */
const fillingMs = 2_000;
const backShownMs = 8_000;

/** Tracks the connection over time: how long it has been lost, and how many messages arrived after a reconnect. */
export class LivenessWatch {
  current: Liveness = { is: "connecting" };
  readonly #onChange: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lostAt: number | undefined;
  #reconnectedAt = 0;
  #epoch: string | undefined;
  #version: string | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  update(state: ConnectionState): void {
    switch (state.status) {
      case "connecting":
        return;
      case "open":
        return this.#handleOpen(state);
      case "reconnecting":
        return this.#handleLoss(state.retryAt);
      case "closed":
        return this.#transitionTo({ is: "ended", reason: state.reason });
    }
  }

  /** Counts the messages that arrive shortly after a reconnect. */
  countDelivered(messages: number): void {
    if (this.current.is !== "back" || Date.now() - this.#reconnectedAt > fillingMs) return;
    this.#set({ ...this.current, filledIn: this.current.filledIn + messages });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #handleOpen({ epoch, version }: Extract<ConnectionState, { status: "open" }>): void {
    this.#version ??= version;
    const isRefreshed = this.#epoch !== undefined && this.#epoch !== epoch;
    this.#epoch = epoch;
    if (this.#version !== version) {
      this.#lostAt = undefined;
      return this.#transitionTo({ is: "outdated", version });
    }
    if (this.#lostAt === undefined) return this.#transitionTo({ is: "live" });
    this.#reconnectedAt = Date.now();
    const offlineMs = this.#reconnectedAt - this.#lostAt;
    this.#lostAt = undefined;
    this.#transitionTo(
      { is: "back", offlineMs, isRefreshed, filledIn: 0 },
      () => this.#transitionTo({ is: "live" }),
      backShownMs,
    );
  }

  #handleLoss(retryAt: number): void {
    const since = this.#lostAt ?? Date.now();
    this.#lostAt = since;
    const leftMs = since + reconnectingMsMax - Date.now();
    if (leftMs <= 0) return this.#transitionTo({ is: "offline", since });
    this.#transitionTo(
      { is: "reconnecting", retryAt },
      () => this.#transitionTo({ is: "offline", since }),
      leftMs,
    );
  }

  #transitionTo(next: Liveness, onElapsed?: () => void, afterMs = 0): void {
    clearTimeout(this.#timer);
    this.#timer = onElapsed && setTimeout(onElapsed, afterMs);
    this.#set(next);
  }

  #set(next: Liveness): void {
    this.current = next;
    this.#onChange();
  }
}
