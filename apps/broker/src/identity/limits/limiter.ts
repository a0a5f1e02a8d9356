import { MerkleError, type Operation } from "@merkle/wire";
import { limits, type RateLimit, type RateLimitName, type RateLimits, rateLimits } from "@merkle/wire/limits";
import { toAddressBlock } from "../../core/address-block.js";
import type { Metrics } from "../../core/metrics.js";
import type { Principal } from "../principal.js";
import { createTokenBuckets, type TokenBuckets } from "./token-buckets.js";

/** Keeps everybody below the rates at which the broker lets be called; one for all transports (GUARD-4). */
export interface Limiter {
  /** The rates; null where there are none. */
  readonly rates: RateLimits | null;
  /**
   * Returns the caller that a request counts for, before anything in it is looked at: the secret that it carries, where that
   * has proved somebody lately, so that nobody is refused for what neighbours behind the same address do; else its address.
   */
  callerOf(address: string, secret?: string | undefined): string;
  /**
   * Counts a request of a caller.
   *
   * @throws too_many_requests
   */
  admit(caller: string): void;
  /** The same for a WebSocket that it opens. */
  admitUpgrade(caller: string): void;
  /** Counts a frame of whoever has been let in, else of its address, or says how many milliseconds it has to wait; 0 when it was counted. */
  admitFrame(address: string, principal: Principal | null): number;
  /**
   * Counts a call of somebody who has been let in, for the member and for the session that it addresses.
   *
   * @throws too_many_requests
   */
  admitCall(call: LimitedCall): void;
  /** Notes whether a secret proved somebody. */
  noteProof(secret: string, holds: boolean): void;
  /**
   * Runs what tries a secret that is short enough to be guessed. Tries that fail are counted for their address, those under way
   * like failed ones, so that nothing is gained by trying many at once; beyond the limit nothing is tried any more.
   *
   * @throws too_many_requests, and what `attempt` throws
   */
  tryCode<Found>(address: string, attempt: () => Promise<Found>): Promise<Found>;
}

export interface LimitedCall {
  readonly principal: Principal | null;
  readonly sessionId: string | null;
  readonly rate: Operation["rate"];
}

export interface LimiterOptions {
  /** The rates that differ from the usual ones; "off" for none at all. */
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

  return {
    rates,
    callerOf: (address, secret) =>
      secret !== undefined && proven.has(secret) ? secret : toAddressBlock(address),
    admit: (caller) => take("address", caller),
    admitUpgrade(caller) {
      take("address", caller);
      take("upgrade", caller);
    },
    admitFrame: (address, principal) => missingMs("address", keyOf(principal) ?? toAddressBlock(address)),
    admitCall({ principal, sessionId, rate }) {
      const key = keyOf(principal);
      if (key !== null) take(ofMember[rate], key);
      if (sessionId !== null) take(ofSession[rate], sessionId);
    },
    noteProof(secret, holds) {
      proven.delete(secret);
      if (!holds) return;
      proven.add(secret);
      const [oldest] = proven;
      if (oldest !== undefined && proven.size > limits.rateBucketsMax) proven.delete(oldest);
    },
    async tryCode(address, attempt) {
      const block = toAddressBlock(address);
      take("failed_proof", block);
      const giveBack = () => bucketsOf("failed_proof").giveBack(block);
      try {
        const found = await attempt();
        giveBack();
        return found;
      } catch (error) {
        // A fault of the broker's own is nobody's guess.
        if (!(error instanceof MerkleError) || error.status >= 500) giveBack();
        throw error;
      }
    },
  };
}

/** Whoever the broker knows counts for themselves, wherever they come from. */
function keyOf(principal: Principal | null): string | null {
  switch (principal?.kind) {
    case "member":
      return principal.memberId;
    case "observer":
      return `${principal.meshId} ${principal.authority.token}`;
    case "job":
      return `${principal.meshId} job ${principal.job}`;
    case "client":
      return `${principal.meshId} ${principal.token}`;
    default:
      return null;
  }
}

const ofMember = {
  read: "member_read",
  write: "member_write",
  wait: "member_wait",
  create: "member_create",
} as const satisfies Readonly<Record<Operation["rate"], RateLimitName>>;

const ofSession = {
  read: "session_read",
  write: "session_write",
  wait: "session_wait",
  create: "session_create",
} as const satisfies Readonly<Record<Operation["rate"], RateLimitName>>;

const unlimited: Limiter = {
  rates: null,
  callerOf: toAddressBlock,
  admit: () => undefined,
  admitUpgrade: () => undefined,
  admitFrame: () => 0,
  admitCall: () => undefined,
  noteProof: () => undefined,
  tryCode: (_address, attempt) => attempt(),
};

/** The requests that each rate counts, as a refusal names them. */
const counted: Readonly<Record<RateLimitName, string>> = {
  address: "requests of your address",
  upgrade: "connections opened from your address",
  failed_proof: "wrong codes from your address",
  member_read: "reads by you",
  member_write: "writes by you",
  member_wait: "waits by you",
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
    `Too many ${counted[name]}: the limit is ${per_second} per second, in bursts of up to ${burst}. Try again in ${retryAfter} s.`,
    { limit: name, per_second, burst, retry_after_s: retryAfter },
  );
}
