/**
 * Limits how often hints with the same name are sent. Further hints within an interval are merged into one
 * hint, sent when the interval ends.
 */
export interface Throttle {
  /**
   * Calls `tell` now, or at the end of the interval if a hint with this name was sent recently. If `hint` is
   * called for the same name again before the interval ends, only the last `tell` is called.
   */
  hint(name: string, send: () => void): void;
  stop(): void;
}

interface ThrottledHint {
  readonly at: number;
  pending: (() => void) | null;
}

/**
 * @param everyMs - minimum time between two hints with the same name, which is also how long a name is kept
 * without a new hint
 */
export function createThrottle(everyMs: number): Throttle {
  // The times of the last calls, oldest first. The first entry therefore always expires next, and one timer
  // is enough.
  const lastCalls = new Map<string, ThrottledHint>();
  let timer: NodeJS.Timeout | undefined;

  function callNow(name: string, send: () => void): void {
    lastCalls.set(name, { at: performance.now(), pending: null });
    send();
    if (lastCalls.size === 1) schedule();
  }

  function schedule(): void {
    const [first] = lastCalls.values();
    timer = first && setTimeout(flush, Math.max(0, first.at + everyMs - performance.now()));
  }

  function flush(): void {
    const expiredBefore = performance.now() - everyMs;
    for (const [name, { at, pending }] of lastCalls) {
      if (at > expiredBefore) break;
      lastCalls.delete(name);
      if (!pending) continue;
      lastCalls.set(name, { at: performance.now(), pending: null });
      pending();
    }
    schedule();
  }

  return {
    hint(name, send) {
      const last = lastCalls.get(name);
      if (last) last.pending = send;
      else callNow(name, send);
    },
    stop() {
      clearTimeout(timer);
      lastCalls.clear();
    },
  };
}
