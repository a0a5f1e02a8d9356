export interface SilenceWatch {
  reset(): void;
  stop(): void;
}

/**
 * Calls `onSilence` once if `heard` is not called for `maxMs`. Each call of `heard` only updates a timestamp,
 * so that traffic costs no timers.
 */
export function watchSilence(maxMs: number, onSilence: () => void): SilenceWatch {
  let lastActivityAt = performance.now();
  let timer = setTimeout(check, maxMs);

  function check(): void {
    const leftMs = lastActivityAt + maxMs - performance.now();
    if (leftMs > 0) timer = setTimeout(check, leftMs);
    else timer = setTimeout(confirm, 0);
  }

  // After a process was busy or asleep, its timers run before it reads data that has already arrived. Waiting
  // one more turn of the event loop lets it read that data first.
  function confirm(): void {
    if (performance.now() - lastActivityAt < maxMs) check();
    else onSilence();
  }

  return {
    reset: () => {
      lastActivityAt = performance.now();
    },
    stop: () => clearTimeout(timer),
  };
}
