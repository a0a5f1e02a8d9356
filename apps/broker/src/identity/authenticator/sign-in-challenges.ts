import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { performance } from "node:perf_hooks";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";

/** Challenges for those who have no connection to keep one on: a browser that signs in over HTTP (GUARD-14). */
export interface SignInChallenges {
  /**
   * Makes a nonce that is good for half a minute. Nothing is kept for whoever asks, so that nobody pushes out another's by
   * asking often: the nonce itself says when it was given, under a secret of this process.
   */
  give(): string;
  /**
   * Runs what checks an answer, with its nonce, or null for one that was not given here, is too old or has let somebody in.
   * When the check does not throw, the nonce is good no more; while it runs, it is good for no other answer.
   *
   * @throws unavailable; and what `check` throws
   */
  answer<Proved>(nonce: string, check: (nonce: string | null) => Promise<Proved>): Promise<Proved>;
}

const goodMs = 30_000;
const timeBytes = 6;
const randomnessBytes = 10;
const headBytes = timeBytes + randomnessBytes;
const macBytes = 16;

/** By which any of several nodes takes the answer to a challenge that one of them gave, and but one takes it (NODE-12). */
interface SharedChallenges {
  /** The secret that all of them have. */
  readonly secret: string;
  /** Claims a nonce at all of them; false where it was claimed. */
  claim(nonce: string): Promise<boolean>;
  release(nonce: string): Promise<void>;
}

export function createSignInChallenges({
  shared,
  // The clocks of nodes agree well enough; that of a process is its own.
  now = shared ? Date.now : () => performance.now(),
}: {
  readonly shared?: SharedChallenges | undefined;
  readonly now?: () => number;
} = {}): SignInChallenges {
  const secret = shared?.secret ?? randomBytes(32);
  /** Nonces that let somebody in, and until when they have to be known; the oldest first. */
  const used = new Map<string, number>();

  function seal(head: Buffer): Buffer {
    return createHmac("sha256", secret).update(head).digest().subarray(0, macBytes);
  }

  function isGood(nonce: string): boolean {
    const bytes = Buffer.from(nonce, "base64url");
    // Other spellings of the same bytes would be other nonces.
    if (bytes.length !== headBytes + macBytes || bytes.toString("base64url") !== nonce) return false;
    const head = bytes.subarray(0, headBytes);
    if (!timingSafeEqual(bytes.subarray(headBytes), seal(head))) return false;
    return now() < head.readUIntBE(0, timeBytes) && !used.has(nonce);
  }

  function forgetOld(): void {
    for (const [nonce, until] of used) {
      if (now() < until) return;
      used.delete(nonce);
    }
  }

  return {
    give() {
      const head = Buffer.concat([Buffer.alloc(timeBytes), randomBytes(randomnessBytes)]);
      head.writeUIntBE(Math.ceil(now() + goodMs), 0, timeBytes);
      return Buffer.concat([head, seal(head)]).toString("base64url");
    },
    async answer(nonce, check) {
      if (!isGood(nonce)) return check(null);
      forgetOld();
      // Forgetting one that has not expired would let its answer be used again.
      if (used.size >= limits.cachedCredentialsMax) throw tooManyAtOnce();
      used.set(nonce, now() + goodMs);
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
