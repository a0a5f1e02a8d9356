export interface SilenceWatch {
  heard(): void;
  stop(): void;
}

/**
 * Calls `onSilence` once if nothing is heard for `maxMs`. Traffic only updates a timestamp and sets no timer.
 */
export function watchSilence(maxMs: number, onSilence: () => void): SilenceWatch {
  let heardAt = performance.now();
  let timer = setTimeout(check, maxMs);

  function check(): void {
    const leftMs = heardAt + maxMs - performance.now();
    if (leftMs > 0) timer = setTimeout(check, leftMs);
    else timer = setTimeout(confirm, 0);
  }

  // A process that was busy or asleep runs its timers before it reads data that has arrived, so wait one more
  // turn.
  function confirm(): void {
    if (performance.now() - heardAt < maxMs) check();
    else onSilence();
  }

  return {
    heard: () => {
      heardAt = performance.now();
    },
    stop: () => clearTimeout(timer),
  };
}
