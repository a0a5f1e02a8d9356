export interface RetryOptions {
  /** The longest pause before the first attempt, in milliseconds; doubled with each further one. Default 100. */
  readonly baseMs?: number;
  /** The longest pause at all, in milliseconds. Default 10,000. */
  readonly capMs?: number;
}

/**
 * How long to wait before trying again: anything from nothing to the exponentially growing longest pause ("full
 * jitter"), so that the clients of a broker that restarts do not all come back in the same instant.
 */
export function backoffMs(
  attempt: number,
  { baseMs = 100, capMs = 10_000 }: RetryOptions,
  random: () => number,
) {
  return random() * Math.min(capMs, baseMs * 2 ** attempt);
}
