/** Wakes whoever waits at it; rung while nobody waits, it is remembered. */
export interface WaitSignal {
  ring(): void;
  /** Ends the wait as if its time were up. */
  expire(): void;
  /** Resolves at the next ring, or when the time is up or one of the signals is aborted; at once if that has been. */
  answered(): Promise<"rung" | "expired">;
  stop(): void;
}

export function createWaitSignal(options: {
  timeoutMs: number;
  signals: readonly AbortSignal[];
}): WaitSignal {
  let rung = false;
  let expired = options.timeoutMs <= 0 || options.signals.some((signal) => signal.aborted);
  let answer: ((how: "rung" | "expired") => void) | null = null;
  const timer = setTimeout(expire, options.timeoutMs);
  for (const signal of options.signals) signal.addEventListener("abort", expire, { once: true });

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

  return {
    ring() {
      rung = true;
      settle();
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
      for (const signal of options.signals) signal.removeEventListener("abort", expire);
    },
  };
}
