import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { performance } from "node:perf_hooks";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";

/**
 * Issues challenges to browsers that sign in over HTTP. These browsers have no connection to which the broker
 * could tie a challenge (GUARD-14).
 */
export interface SignInChallenges {
  /**
   * Issues a nonce that is valid for half a minute. The nonce contains its authenticated expiry time, so the
   * broker stores nothing per client, and no client can push out another client's challenge.
   */
  issue(): string;
  /**
   * Runs `check` with the nonce from an answer, or with null if this broker did not issue the nonce, or if it
   * has expired or was used. The nonce is reserved while the check runs, and used up unless the check throws.
   *
   * @throws unavailable; and any error that `check` throws
   */
  answer<Proved>(nonce: string, check: (nonce: string | null) => Promise<Proved>): Promise<Proved>;
}

const validMs = 30_000;
const timeBytes = 6;
const randomnessBytes = 10;
const headBytes = timeBytes + randomnessBytes;
const macBytes = 16;

/** Lets exactly one node accept the answer to a challenge, even if another node issued it (NODE-12). */
interface SharedChallenges {
  readonly secret: string;
  /** Claims a nonce on all nodes. Returns false if it was already claimed. */
  claim(nonce: string): Promise<boolean>;
  release(nonce: string): Promise<void>;
}

export function createSignInChallenges({
  shared,
  // Nodes that share challenges compare wall-clock time, which is close enough. A single process uses its monotonic clock.
  now = shared ? Date.now : () => performance.now(),
}: {
  readonly shared?: SharedChallenges | undefined;
  readonly now?: () => number;
} = {}): SignInChallenges {
  const secret = shared?.secret ?? randomBytes(32);
  /** Used nonces, with the time until which each must be kept. The oldest come first. */
  const used = new Map<string, number>();

  function computeMac(head: Buffer): Buffer {
    return createHmac("sha256", secret).update(head).digest().subarray(0, macBytes);
  }

  function isValid(nonce: string): boolean {
    const bytes = Buffer.from(nonce, "base64url");
    // Another encoding of the same bytes would count as a different nonce, so only the canonical form is
    // valid.
    if (bytes.length !== headBytes + macBytes || bytes.toString("base64url") !== nonce) return false;
    const head = bytes.subarray(0, headBytes);
    if (!timingSafeEqual(bytes.subarray(headBytes), computeMac(head))) return false;
    return now() < head.readUIntBE(0, timeBytes) && !used.has(nonce);
  }

  function dropExpired(): void {
    for (const [nonce, until] of used) {
      if (now() < until) return;
      used.delete(nonce);
    }
  }

  return {
    issue() {
      const head = Buffer.concat([Buffer.alloc(timeBytes), randomBytes(randomnessBytes)]);
      head.writeUIntBE(Math.ceil(now() + validMs), 0, timeBytes);
      return Buffer.concat([head, computeMac(head)]).toString("base64url");
    },
    async answer(nonce, check) {
      if (!isValid(nonce)) return check(null);
      dropExpired();
      // A used nonce must be kept until it expires. Otherwise its answer could be used again.
      if (used.size >= limits.cachedCredentialsMax) throw tooManyAtOnce();
      used.set(nonce, now() + validMs);
      if (shared && !(await shared.claim(nonce))) return check(null);
      try {
        return await check(nonce);
      } catch (error) {
        await shared?.release(nonce);
        used.delete(nonce);
        throw error;
      }
    },
  };
}

function tooManyAtOnce(): MerkleError {
  return new MerkleError("unavailable", "Too many people are signing in at the moment. Try again.", {
    retry_after_s: 5,
  });
}
