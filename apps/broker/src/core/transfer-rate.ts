/** Ends a transfer whose client is slower than it may be. Only time spent waiting for the client counts. */
export interface TransferRate {
  /** The broker now waits for the client. */
  wait(): void;
  /** The client has taken or sent this many bytes. */
  count(bytes: number): void;
  stop(): void;
}

export interface TransferRateOptions {
  readonly bytesPerSecondMin: number;
  /** The rate is measured over this much waiting time, so a short pause does no harm. */
  readonly windowMs: number;
  /** Called once. */
  readonly onSlow: () => void;
}

export function createTransferRate({
  bytesPerSecondMin,
  windowMs,
  onSlow,
}: TransferRateOptions): TransferRate {
  let bytes = 0;
  let waitedMs = 0;
  let waitingSince: number | null = null;
  let timer: NodeJS.Timeout | undefined;

  function endWindow(): void {
    const isSlow = bytes < (bytesPerSecondMin * windowMs) / 1_000;
    [bytes, waitedMs, waitingSince] = [0, 0, null];
    if (isSlow) onSlow();
    else wait();
  }

  function wait(): void {
    if (waitingSince !== null) return;
    waitingSince = performance.now();
    timer = setTimeout(endWindow, windowMs - waitedMs).unref();
  }

  function pause(): void {
    clearTimeout(timer);
    // Never the whole window: its end is the timer's to decide.
    if (waitingSince !== null) waitedMs = Math.min(windowMs - 1, waitedMs + performance.now() - waitingSince);
    waitingSince = null;
  }

  return {
    wait,
    count(amount) {
      pause();
      bytes += amount;
    },
    stop: pause,
  };
}
