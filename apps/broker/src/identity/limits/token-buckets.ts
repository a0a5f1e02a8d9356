import { performance } from "node:perf_hooks";
import type { RateLimit } from "@merkle/wire/limits";

/** A bucket of tokens for each key, full at first, into which so many tokens a second fall. */
export interface TokenBuckets {
  /** Takes a token, or says how many milliseconds it is until there is one again; 0 when it was taken. */
  take(key: string): number;
  /** Puts back one that was taken. */
  giveBack(key: string): void;
  /** How many buckets are held in memory. */
  readonly size: number;
}

export interface TokenBucketsOptions {
  readonly limit: RateLimit;
  /** So many buckets are held; with one more, the longest unused is forgotten, and would be full again. */
  readonly countMax: number;
  readonly now?: () => number;
}

/** A bucket is kept as the time alone at which it is full: what it lacks now are the tokens that fall until then. */
export function createTokenBuckets({
  limit: { per_second, burst },
  countMax,
  now = () => performance.now(),
}: TokenBucketsOptions): TokenBuckets {
  const tokenMs = 1_000 / per_second;
  /** The longest unused first. */
  const fullAt = new Map<string, number>();
  let newest: string | undefined;

  function keep(key: string, at: number): void {
    // To delete what stands last already, again and again, would make the map anew each time it has no room for more.
    if (key !== newest) fullAt.delete(key);
    newest = key;
    fullAt.set(key, at);
    for (const [oldest, itsFullAt] of fullAt) {
      // A full bucket is the same as none.
      if (fullAt.size <= countMax && itsFullAt > now()) return;
      fullAt.delete(oldest);
    }
  }

  return {
    take(key) {
      const at = now();
      const full = Math.max(fullAt.get(key) ?? at, at) + tokenMs;
      const missingMs = full - at - burst * tokenMs;
      // Sums of times are not exact: a token that lacks a millionth is there.
      if (missingMs > 1e-6 * tokenMs) return missingMs;
      keep(key, full);
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
