import { performance } from "node:perf_hooks";
import type { RateLimit } from "@merkle/wire";

/** A bucket of tokens for each key, full at first, into which so many tokens a second fall. */
export interface TokenBuckets {
  /** Takes a token, or says how many milliseconds it is until there is one again; 0 when it was taken. */
  take(key: string): number;
  /** How many milliseconds it is until there is a token, without taking it; 0 when there is one. */
  look(key: string): number;
  /** Whether it lacks none. */
  isFull(key: string): boolean;
  /** Takes so many, or parts of one, whether or not they are there: what is missing then falls in first. */
  spend(key: string, tokens: number): void;
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

/** Of each bucket only the time is kept at which it is full: what it lacks now are the tokens that fall until then. */
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

  /** When the bucket would be full after so many more tokens were taken. */
  function fullAfter(tokens: number, key: string, at: number): number {
    return Math.max(fullAt.get(key) ?? at, at) + tokens * tokenMs;
  }

  function look(key: string): number {
    const at = now();
    const missingMs = fullAfter(1, key, at) - at - burst * tokenMs;
    // Sums of times are not exact: a token that lacks a millionth is there.
    return missingMs > 1e-6 * tokenMs ? missingMs : 0;
  }

  return {
    look,
    take(key) {
      const missingMs = look(key);
      if (missingMs === 0) keep(key, fullAfter(1, key, now()));
      return missingMs;
    },
    isFull: (key) => (fullAt.get(key) ?? 0) <= now(),
    spend: (key, tokens) => keep(key, fullAfter(tokens, key, now())),
    giveBack(key) {
      const full = fullAt.get(key);
      if (full !== undefined) fullAt.set(key, full - tokenMs);
    },
    get size() {
      return fullAt.size;
    },
  };
}
