/** Lets hints of each name through at most so often; what comes in between is told once, when the time is over. */
export interface Throttle {
  /** Tells now, or later where the name was told lately; of several that wait only the last is told. */
  hint(name: string, tell: () => void): void;
  stop(): void;
}

interface Told {
  readonly at: number;
  again: (() => void) | null;
}

/** @param everyMs - the least time between two hints of one name; a name is remembered no longer than that */
export function createThrottle(everyMs: number): Throttle {
  // In the order in which they were told, so the first is always the next that is over; one timer serves all.
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
