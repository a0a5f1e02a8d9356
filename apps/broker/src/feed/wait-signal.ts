/** Wakes whoever waits at it; rung while nobody waits, it is remembered. */
export interface WaitSignal {
  ring(): void;
  /** Rings so much later, instead of when it was asked to before; null never. */
  ringIn(ms: number | null): void;
  /** Ends the wait as if its time were up. */
  expire(): void;
  /** Resolves at the next ring, or when the time is up, its signal is aborted or the broker stops; at once if that has been. */
  answered(): Promise<"rung" | "expired">;
  stop(): void;
}

export interface WaitSignals {
  open(options: { readonly timeoutMs: number; readonly signal: AbortSignal }): WaitSignal;
}

/** @param stopping - ends all of them. None listens to it itself: a signal looks through its listeners whenever one comes or goes. */
export function createWaitSignals(stopping: AbortSignal): WaitSignals {
  const waiting = new Set<WaitSignal>();
  stopping.addEventListener("abort", () => {
    for (const each of waiting) each.expire();
  });

  function open({ timeoutMs, signal }: Parameters<WaitSignals["open"]>[0]): WaitSignal {
    let rung = false;
    let expired = timeoutMs <= 0 || signal.aborted || stopping.aborted;
    let answer: ((how: "rung" | "expired") => void) | null = null;
    const timer = setTimeout(expire, timeoutMs);
    let later: ReturnType<typeof setTimeout> | undefined;
    signal.addEventListener("abort", expire, { once: true });

    function settle(): void {
      if (!answer || !(rung || expired)) return;
      const how = rung ? "rung" : "expired";
      rung = false;
      answer(how);
      answer = null;
    }

    function expire(): void {
      expired = true;
      settle();
    }

    function ring(): void {
      rung = true;
      settle();
    }

    const opened: WaitSignal = {
      ring,
      ringIn(ms) {
        clearTimeout(later);
        if (ms !== null) later = setTimeout(ring, ms);
      },
      expire,
      answered() {
        return new Promise((resolve) => {
          answer = resolve;
          settle();
        });
      },
      stop() {
        clearTimeout(timer);
        clearTimeout(later);
        signal.removeEventListener("abort", expire);
        waiting.delete(opened);
      },
    };
    waiting.add(opened);
    return opened;
  }

  return { open };
}
