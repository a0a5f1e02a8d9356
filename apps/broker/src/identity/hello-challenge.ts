import { randomBytes } from "node:crypto";

/** What one connection's hello is to be answered with, good for one answer (HELLO-2). */
export interface HelloChallenge {
  /** 32 random bytes in base64url, for the broker's hello. */
  readonly nonce: string;
  /** Gives the nonce to the first who asks, and null ever after: a second answer on the same connection proves nothing. */
  take(): string | null;
}

export function createHelloChallenge(): HelloChallenge {
  const nonce = randomBytes(32).toString("base64url");
  let taken = false;
  return {
    nonce,
    take() {
      if (taken) return null;
      taken = true;
      return nonce;
    },
  };
}

/** Challenges for those who have no connection to keep one on: a browser that signs in over HTTP. */
export interface HelloChallenges {
  /** Makes a nonce that can be answered once, within half a minute. */
  give(): string;
  /** The nonce, if it was given and not yet answered; else null. */
  take(nonce: string): string | null;
}

/** So many are kept; of more, those that were given first are good no more. */
const givenMax = 1_000;
const goodMs = 30_000;

export function createHelloChallenges(): HelloChallenges {
  // In the order in which they were given.
  const given = new Map<string, number>();
  return {
    give() {
      const { nonce } = createHelloChallenge();
      given.set(nonce, performance.now() + goodMs);
      if (given.size > givenMax) {
        const [oldest] = given.keys();
        if (oldest !== undefined) given.delete(oldest);
      }
      return nonce;
    },
    take(nonce) {
      const until = given.get(nonce) ?? 0;
      given.delete(nonce);
      return performance.now() < until ? nonce : null;
    },
  };
}
