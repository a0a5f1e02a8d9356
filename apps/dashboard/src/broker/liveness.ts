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
  | { readonly is: "back"; readonly awayMs: number; readonly refreshed: boolean; readonly filledIn: number }
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
  #backAt = 0;
  #epoch: string | undefined;
  #version: string | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  state(state: ConnectionState): void {
    switch (state.status) {
      case "connecting":
        return;
      case "open":
        return this.#opened(state);
      case "reconnecting":
        return this.#lost(state.retryAt);
      case "closed":
        return this.#become({ is: "ended", reason: state.reason });
    }
  }

  /** Counts the messages that arrive shortly after a reconnect. */
  brought(messages: number): void {
    if (this.current.is !== "back" || Date.now() - this.#backAt > fillingMs) return;
    this.#set({ ...this.current, filledIn: this.current.filledIn + messages });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #opened({ epoch, version }: Extract<ConnectionState, { status: "open" }>): void {
    this.#version ??= version;
    const refreshed = this.#epoch !== undefined && this.#epoch !== epoch;
    this.#epoch = epoch;
    if (this.#version !== version) {
      this.#lostAt = undefined;
      return this.#become({ is: "outdated", version });
    }
    if (this.#lostAt === undefined) return this.#become({ is: "live" });
    this.#backAt = Date.now();
    const awayMs = this.#backAt - this.#lostAt;
    this.#lostAt = undefined;
    this.#become(
      { is: "back", awayMs, refreshed, filledIn: 0 },
      () => this.#become({ is: "live" }),
      backShownMs,
    );
  }

  #lost(retryAt: number): void {
    const since = this.#lostAt ?? Date.now();
    this.#lostAt = since;
    const leftMs = since + reconnectingMsMax - Date.now();
    if (leftMs <= 0) return this.#become({ is: "offline", since });
    this.#become({ is: "reconnecting", retryAt }, () => this.#become({ is: "offline", since }), leftMs);
  }

  #become(next: Liveness, then?: () => void, afterMs = 0): void {
    clearTimeout(this.#timer);
    this.#timer = then && setTimeout(then, afterMs);
    this.#set(next);
  }

  #set(next: Liveness): void {
    this.current = next;
    this.#onChange();
  }
}
