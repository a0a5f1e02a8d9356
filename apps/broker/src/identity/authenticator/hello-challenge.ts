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
