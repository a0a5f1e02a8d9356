export interface SilenceWatch {
  heard(): void;
  stop(): void;
}

/** Calls `onSilence` once, when nothing was heard for `maxMs`. Hearing costs no timer, whatever the traffic. */
export function watchSilence(maxMs: number, onSilence: () => void): SilenceWatch {
  let heardAt = performance.now();
  let timer = setTimeout(check, maxMs);

  function check(): void {
    const leftMs = heardAt + maxMs - performance.now();
    if (leftMs > 0) timer = setTimeout(check, leftMs);
    else timer = setTimeout(confirm, 0);
  }

  // A process that was busy or asleep runs its timers before it reads what has arrived meanwhile: one turn decides.
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
