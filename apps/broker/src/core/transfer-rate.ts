/** Ends a transfer if its client is too slow. Measures only the time spent waiting for the client. */
export interface TransferMeter {
  /** Marks that the broker now waits for the client. */
  wait(): void;
  /** Records that the client has received or sent this many bytes. */
  count(bytes: number): void;
  stop(): void;
}

export interface TransferRateOptions {
  readonly bytesPerSecondMin: number;
  /**
   * The amount of waiting time over which the rate is measured. A short pause therefore does not end the
   * transfer.
   */
  readonly windowMs: number;
  /** Called at most once, when the client is too slow. */
  readonly onSlow: () => void;
}

export function createTransferRate({
  bytesPerSecondMin,
  windowMs,
  onSlow,
}: TransferRateOptions): TransferMeter {
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
    // Kept below the whole window, because only the timer may end the transfer.
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
