import { errorCodes, type MerkleError } from "../core/errors.js";
export interface RetryOptions {
  /**
   * Maximum pause before the first retry, in milliseconds. The maximum doubles with each further retry.
   * Default: 100.
   */
  readonly baseMs?: number;
  /** Upper limit for every pause, in milliseconds. Default: 10,000. */
  readonly capMs?: number;
}

/**
 * Returns the pause before the next attempt, a random time up to an exponentially growing maximum ("full
 * jitter"). This prevents all clients from reconnecting at the same moment after a broker restarts.
 */
export function computeBackoffMs(
  attempt: number,
  { baseMs = 100, capMs = 10_000 }: RetryOptions,
  random: () => number,
) {
  return random() * Math.min(capMs, baseMs * 2 ** attempt);
}

/** Minimum pause before a refused request is retried, even if the broker suggests a shorter one. */
const pauseMsMin = 50;

/**
 * Returns how long to wait before retrying a refused request. Undefined if a retry cannot succeed, or if the
 * time is unknown.
 */
export function toRetryPauseMs({ code, details }: MerkleError): number | undefined {
  const seconds = details["retry_after_s"];
  if (!errorCodes[code].retry || typeof seconds !== "number") return undefined;
  return Math.max(seconds * 1000, pauseMsMin);
}
