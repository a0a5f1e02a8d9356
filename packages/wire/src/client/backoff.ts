import { errorCodes, type MerkleError } from "../core/errors.js";
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

/** The least pause before a refused request is made again, whatever the broker says. */
const pauseMsMin = 50;

/** How long to wait before the same request can succeed; undefined when it never will, or nobody knows when. */
export function retryPauseMs({ code, details }: MerkleError): number | undefined {
  const seconds = details["retry_after_s"];
  if (!errorCodes[code].retry || typeof seconds !== "number") return undefined;
  return Math.max(seconds * 1000, pauseMsMin);
}
