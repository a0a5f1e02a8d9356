import { errorCodes, type MerkleError } from "../core/errors.js";
export interface RetryOptions {
  /**
   * Maximum pause before the first retry, in milliseconds. It doubles with each further retry. Default: 100.
   */
  readonly baseMs?: number;
  /** Upper limit of all pauses, in milliseconds. Default: 10,000. */
  readonly capMs?: number;
}

/**
 * Returns the pause before the next attempt: a random time up to an exponentially growing maximum ("full
 * jitter"). This keeps the clients of a restarting broker from reconnecting all at once.
 */
export function backoffMs(
  attempt: number,
  { baseMs = 100, capMs = 10_000 }: RetryOptions,
  random: () => number,
) {
  return random() * Math.min(capMs, baseMs * 2 ** attempt);
}

/** Minimum pause before a refused request is retried, regardless of the broker's hint. */
const pauseMsMin = 50;

/**
 * Returns how long to wait before a retry of the same request can succeed. Undefined if a retry cannot
 * succeed, or the time is unknown.
 */
export function retryPauseMs({ code, details }: MerkleError): number | undefined {
  const seconds = details["retry_after_s"];
  if (!errorCodes[code].retry || typeof seconds !== "number") return undefined;
  return Math.max(seconds * 1000, pauseMsMin);
}
