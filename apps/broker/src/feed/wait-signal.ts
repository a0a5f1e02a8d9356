/** Wakes the call that waits for the signal. If no call is waiting, the next wait ends immediately. */
export interface WaitSignal {
  ring(): void;
  /** Triggers the signal after a delay, which replaces any earlier delay. Null cancels the delay. */
  ringIn(ms: number | null): void;
  /** Ends the wait as if it had timed out. */
  expire(): void;
  /**
   * Resolves when the signal is triggered, when the wait times out or is aborted, or when the broker stops.
   * Resolves immediately if one of these has already happened.
   */
  wait(): Promise<"rung" | "expired">;
  stop(): void;
}

export interface WaitSignals {
  open(options: { readonly timeoutMs: number; readonly signal: AbortSignal }): WaitSignal;
}

/**
 * @param stopping - ends all waits when aborted. All waits share one listener, because adding or removing a
 * listener searches all listeners of an AbortSignal.
 */
export function createWaitSignals(stopping: AbortSignal): WaitSignals {
  const waiting = new Set<WaitSignal>();
  stopping.addEventListener("abort", () => {
    for (const each of waiting) each.expire();
  });

  function open({ timeoutMs, signal }: Parameters<WaitSignals["open"]>[0]): WaitSignal {
    let isRung = false;
    let isExpired = timeoutMs <= 0 || signal.aborted || stopping.aborted;
    let resolveWait: ((how: "rung" | "expired") => void) | null = null;
    const timer = setTimeout(expire, timeoutMs);
    let ringTimer: ReturnType<typeof setTimeout> | undefined;
    signal.addEventListener("abort", expire, { once: true });

    function settle(): void {
      if (!resolveWait || !(isRung || isExpired)) return;
      const reason = isRung ? "rung" : "expired";
      isRung = false;
      resolveWait(reason);
      resolveWait = null;
    }

    function expire(): void {
      isExpired = true;
      settle();
    }

    function ring(): void {
      isRung = true;
      settle();
    }

    const waitSignal: WaitSignal = {
      ring,
      ringIn(ms) {
        clearTimeout(ringTimer);
        if (ms !== null) ringTimer = setTimeout(ring, ms);
      },
      expire,
      wait() {
        return new Promise((resolve) => {
          resolveWait = resolve;
          settle();
        });
      },
      stop() {
        clearTimeout(timer);
        clearTimeout(ringTimer);
        signal.removeEventListener("abort", expire);
        waiting.delete(waitSignal);
      },
    };
    waiting.add(waitSignal);
    return waitSignal;
  }

  return { open };
}
