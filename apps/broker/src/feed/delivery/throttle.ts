/**
 * Limits how often hints with the same name are sent. Further hints within an interval are merged into one
 * hint, sent when the interval ends.
 */
export interface Throttle {
  /**
   * Calls `tell` now, or at the end of the interval if a hint with this name was sent recently. If `hint` is
   * called for the same name again before the interval ends, only the last `tell` is called.
   */
  hint(name: string, tell: () => void): void;
  stop(): void;
}

interface ThrottledHint {
  readonly at: number;
  again: (() => void) | null;
}

/**
 * @param everyMs - minimum time between two hints with the same name, which is also how long a name is kept
 * without a new hint
 */
export function createThrottle(everyMs: number): Throttle {
  // The times of the last calls, oldest first. The first entry therefore always expires next, and one timer
  // is enough.
  const told = new Map<string, ThrottledHint>();
  let timer: NodeJS.Timeout | undefined;

  function tellNow(name: string, tell: () => void): void {
    told.set(name, { at: performance.now(), again: null });
    tell();
    if (told.size === 1) schedule();
  }

  function schedule(): void {
    const [first] = told.values();
    timer = first && setTimeout(flush, Math.max(0, first.at + everyMs - performance.now()));
  }

  function flush(): void {
    const over = performance.now() - everyMs;
    for (const [name, { at, again }] of told) {
      if (at > over) break;
      told.delete(name);
      if (!again) continue;
      told.set(name, { at: performance.now(), again: null });
      again();
    }
    schedule();
  }

  return {
    hint(name, tell) {
      const last = told.get(name);
      if (last) last.again = tell;
      else tellNow(name, tell);
    },
    stop() {
      clearTimeout(timer);
      told.clear();
    },
  };
}
