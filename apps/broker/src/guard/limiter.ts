import {
  limits,
  MerkleError,
  type Operation,
  type RateLimit,
  type RateLimitName,
  type RateLimits,
  rateLimits,
} from "@merkle/wire";
import type { Asker } from "../identity/principal.js";
import type { Metrics } from "../metrics.js";
import { toAddressBlock } from "./address-block.js";
import { createTokenBuckets, type TokenBuckets } from "./token-buckets.js";

/** Keeps everybody below the rates at which the broker lets be called; one for all doors (GUARD-4). */
export interface Limiter {
  /** The rates; null where there are none. */
  readonly rates: RateLimits | null;
  /**
   * Counts a request of an address, before anything in it is looked at.
   *
   * @throws too_many_requests
   */
  admit(address: string): void;
  /** The same for a WebSocket that it opens. */
  admitUpgrade(address: string): void;
  /** Counts a frame of an address, or says how many milliseconds it has to wait; 0 when it was counted. */
  admitFrame(address: string): number;
  /**
   * Counts a call of somebody who has been let in, for the member and for the session that it addresses.
   *
   * @throws too_many_requests
   */
  admitCall(call: LimitedCall): void;
  /**
   * Runs what checks a proof of identity, and rejects or finds null where it does not hold. Tries that fail are counted for
   * their address, those under way like failed ones, so that nothing is gained by trying many at once; beyond the limit nothing
   * is tried any more. A secret that has proved somebody before is no guess, and is checked whatever others try beside it.
   *
   * @throws too_many_requests, and what `check` throws
   */
  tryProof<Proved>(proof: ProofTried, check: () => Promise<Proved>): Promise<Proved>;
}

export interface ProofTried {
  readonly address: string;
  /** What names the secret it is tried with, where there is one that could be guessed by nobody. */
  readonly secret?: string | undefined;
}

export interface LimitedCall {
  readonly asker: Asker;
  readonly sessionId: string | null;
  readonly rate: Operation["rate"];
}

export interface LimiterOptions {
  /** What differs from the usual rates; "off" for none at all. */
  readonly rates: Partial<RateLimits> | "off";
  readonly metrics: Pick<Metrics, "refusals">;
  readonly now?: () => number;
}

export function createLimiter({ rates: chosen, metrics, now }: LimiterOptions): Limiter {
  if (chosen === "off") return unlimited;
  const rates: RateLimits = { ...rateLimits, ...chosen };
  const buckets = new Map<RateLimitName, TokenBuckets>();
  /** Secrets that have proved somebody; the longest unused first. */
  const proven = new Set<string>();

  function bucketsOf(name: RateLimitName): TokenBuckets {
    const known = buckets.get(name);
    if (known) return known;
    const made = createTokenBuckets({
      limit: rates[name],
      countMax: limits.rateBucketsMax,
      ...(now && { now }),
    });
    buckets.set(name, made);
    return made;
  }

  function missingMs(name: RateLimitName, key: string): number {
    const missing = bucketsOf(name).take(key);
    if (missing > 0) metrics.refusals.inc({ by: name });
    return missing;
  }

  function take(name: RateLimitName, key: string): void {
    const missing = missingMs(name, key);
    if (missing > 0) throw tooMany(name, rates[name], missing);
  }

  function remember(secret: string): void {
    proven.delete(secret);
    proven.add(secret);
    const [oldest] = proven;
    if (oldest !== undefined && proven.size > limits.rateBucketsMax) proven.delete(oldest);
  }

  /** What proved somebody, and does so no more: from now on it is a guess. */
  function failed(block: string, secret: string): void {
    proven.delete(secret);
    bucketsOf("failed_proof").take(block);
  }

  return {
    rates,
    admit: (address) => take("address", toAddressBlock(address)),
    admitUpgrade(address) {
      const block = toAddressBlock(address);
      take("address", block);
      take("upgrade", block);
    },
    admitFrame: (address) => missingMs("address", toAddressBlock(address)),
    admitCall({ asker, sessionId, rate }) {
      if (asker?.kind === "member") take(`member_${rate}`, asker.memberId);
      if (asker?.kind === "observer") take(`member_${rate}`, `${asker.meshId} ${asker.token}`);
      if (asker?.kind === "job") take(`member_${rate}`, `${asker.meshId} job ${asker.job}`);
      if (sessionId !== null) take(`session_${rate}`, sessionId);
    },
    async tryProof({ address, secret }, check) {
      const proofs = bucketsOf("failed_proof");
      const block = toAddressBlock(address);
      const isGuess = secret === undefined || !proven.has(secret);
      if (isGuess) take("failed_proof", block);
      try {
        const proved = await check();
        if (proved !== null) {
          if (isGuess) proofs.giveBack(block);
          if (secret !== undefined) remember(secret);
        } else if (!isGuess) failed(block, secret);
        return proved;
      } catch (error) {
        // A fault of the broker's own is nobody's guess.
        const isFault = !(error instanceof MerkleError) || error.status >= 500;
        if (isFault && isGuess) proofs.giveBack(block);
        if (!isFault && !isGuess) failed(block, secret);
        throw error;
      }
    },
  };
}

const unlimited: Limiter = {
  rates: null,
  admit: () => undefined,
  admitUpgrade: () => undefined,
  admitFrame: () => 0,
  admitCall: () => undefined,
  tryProof: (_proof, check) => check(),
};

/** What is asked too often, and by whom. */
const counted: Readonly<Record<RateLimitName, string>> = {
  address: "requests of your address",
  upgrade: "connections opened from your address",
  failed_proof: "wrong proofs of identity from your address",
  member_read: "reads of yours",
  member_write: "writes of yours",
  member_wait: "waits of yours",
  member_create: "sessions, people and invites that you make or join",
  session_read: "reads in this session",
  session_write: "writes in this session",
  session_wait: "waits in this session",
  session_create: "joins of this session",
};

/** Nobody is told to come back sooner than in a second: a flood in small pieces is a flood. */
function tooMany(name: RateLimitName, { per_second, burst }: RateLimit, missingMs: number): MerkleError {
  const retryAfter = Math.max(1, Math.ceil(missingMs / 1_000));
  return new MerkleError(
    "too_many_requests",
    `Too many ${counted[name]}: ${burst} at once and ${per_second} a second are served. Go on in ${retryAfter} s.`,
    { limit: name, per_second, burst, retry_after_s: retryAfter },
  );
}
