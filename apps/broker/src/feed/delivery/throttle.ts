/**
 * Limits how often hints of one name are sent. Further hints within the interval are merged into one, sent when the interval
 * ends.
 */
export interface Throttle {
  /**
   * Calls `tell` now, or at the end of the interval if this name was sent recently. Only the last waiting call of a name is
   * made.
   */
  hint(name: string, tell: () => void): void;
  stop(): void;
}

interface Told {
  readonly at: number;
  again: (() => void) | null;
}

/** @param everyMs - minimum time between two hints of one name; a name without a new hint is dropped after this time */
export function createThrottle(everyMs: number): Throttle {
  // Ordered by the time of the last call, so the first entry always expires next and one timer is enough.
  const told = new Map<string, Told>();
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
