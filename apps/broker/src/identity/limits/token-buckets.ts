import { performance } from "node:perf_hooks";
import type { RateLimit } from "@merkle/wire/limits";

/** A set of token buckets, one per key. Each bucket starts full and is refilled at a fixed rate. */
export interface TokenBuckets {
  /**
   * Takes a token and returns 0. If there is none, returns how many milliseconds remain until the next token.
   */
  take(key: string): number;
  /** Returns a token to its bucket. */
  giveBack(key: string): void;
  /** Number of buckets in memory. */
  readonly size: number;
}

export interface TokenBucketsOptions {
  readonly limit: RateLimit;
  /**
   * Maximum number of buckets. If there are more, the least recently used bucket is dropped and counts as full
   * from then on.
   */
  readonly countMax: number;
  readonly now?: () => number;
}

/**
 * Creates token buckets. For each bucket, only the time at which it will be full again is stored, which
 * determines how many tokens are missing.
 */
export function createTokenBuckets({
  limit: { per_second, burst },
  countMax,
  now = () => performance.now(),
}: TokenBucketsOptions): TokenBuckets {
  const tokenMs = 1_000 / per_second;
  /** When each bucket will be full. The least recently used comes first. */
  const fullAt = new Map<string, number>();
  let newest: string | undefined;

  function store(key: string, at: number): void {
    // Repeatedly deleting and adding the last entry would make the map rebuild itself each time its capacity
    // is used up.
    if (key !== newest) fullAt.delete(key);
    newest = key;
    fullAt.set(key, at);
    for (const [oldest, itsFullAt] of fullAt) {
      // A full bucket does not need to be stored.
      if (fullAt.size <= countMax && itsFullAt > now()) return;
      fullAt.delete(oldest);
    }
  }

  return {
    take(key) {
      const at = now();
      const full = Math.max(fullAt.get(key) ?? at, at) + tokenMs;
      const missingMs = full - at - burst * tokenMs;
      // Computed times are not exact, so a token counts as available if less than a millionth of it is
      // missing.
      if (missingMs > 1e-6 * tokenMs) return missingMs;
      store(key, full);
      return 0;
    },
    giveBack(key) {
      const full = fullAt.get(key);
      if (full !== undefined) fullAt.set(key, full - tokenMs);
    },
    get size() {
      return fullAt.size;
    },
  };
}
