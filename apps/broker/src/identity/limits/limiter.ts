import { MerkleError, type Operation } from "@merkle/wire";
import { limits, type RateLimit, type RateLimitName, type RateLimits, rateLimits } from "@merkle/wire/limits";
import { toAddressBlock } from "../../core/address-block.js";
import type { Metrics } from "../../core/metrics.js";
import type { Principal } from "../principal.js";
import { createTokenBuckets, type TokenBuckets } from "./token-buckets.js";

/** Enforces the broker's rate limits across all transports (GUARD-4). */
export interface Limiter {
  /** The rate limits, or null if they are off. */
  readonly rates: RateLimits | null;
  /**
   * Returns the key under which a request is counted, before the request is processed. A secret that was
   * recently valid has its own count, so that its owner is not refused because of other clients at the same
   * address. Other requests are counted by address.
   */
  toCallerKey(address: string, secret?: string | undefined): string;
  /**
   * Counts a caller's request.
   *
   * @throws too_many_requests
   */
  admit(caller: string): void;
  /** Counts a caller's WebSocket upgrade, in addition to the HTTP request. */
  admitUpgrade(caller: string): void;
  /**
   * Counts a frame for its principal, or for its address if unauthenticated. Returns 0 if the frame is
   * admitted. Otherwise returns how many milliseconds to wait, and does not count the frame.
   */
  admitFrame(address: string, principal: Principal | null): number;
  /**
   * Counts a call towards the limits for its member and for the session that it addresses.
   *
   * @throws too_many_requests
   */
  admitCall(call: LimitedCall): void;
  /** Records whether a secret was valid. */
  noteProof(secret: string, isValid: boolean): void;
  /**
   * Runs an attempt to use a secret that is short enough to be guessed. A failed attempt counts against its
   * address. Attempts in progress count as failed, so concurrent attempts gain nothing. Attempts beyond the
   * limit are not run.
   *
   * @throws too_many_requests, and any error that `attempt` throws
   */
  tryCode<Found>(address: string, attempt: () => Promise<Found>): Promise<Found>;
}

export interface LimitedCall {
  readonly principal: Principal | null;
  readonly sessionId: string | null;
  readonly rate: Operation["rate"];
}

export interface LimiterOptions {
  /** The configured rates that differ from the defaults, or "off" for no limits. */
  readonly rates: Partial<RateLimits> | "off";
  readonly metrics: Pick<Metrics, "refusals">;
  readonly now?: () => number;
}

export function createLimiter({ rates: chosen, metrics, now }: LimiterOptions): Limiter {
  if (chosen === "off") return unlimited;
  const rates: RateLimits = { ...rateLimits, ...chosen };
  const buckets = new Map<RateLimitName, TokenBuckets>();
  /** Recently valid secrets. The least recently used come first. */
  const validSecrets = new Set<string>();

  function getBuckets(name: RateLimitName): TokenBuckets {
    const known = buckets.get(name);
    if (known) return known;
    const newBuckets = createTokenBuckets({
      limit: rates[name],
      countMax: limits.rateBucketsMax,
      ...(now && { now }),
    });
    buckets.set(name, newBuckets);
    return newBuckets;
  }

  function takeToken(name: RateLimitName, key: string): number {
    const missing = getBuckets(name).take(key);
    if (missing > 0) metrics.refusals.inc({ by: name });
    return missing;
  }

  function take(name: RateLimitName, key: string): void {
    const missing = takeToken(name, key);
    if (missing > 0) throw tooMany(name, rates[name], missing);
  }

  return {
    rates,
    toCallerKey: (address, secret) =>
      secret !== undefined && validSecrets.has(secret) ? secret : toAddressBlock(address),
    admit: (caller) => take("address", caller),
    admitUpgrade(caller) {
      take("address", caller);
      take("upgrade", caller);
    },
    admitFrame: (address, principal) =>
      takeToken("address", toPrincipalKey(principal) ?? toAddressBlock(address)),
    admitCall({ principal, sessionId, rate }) {
      const key = toPrincipalKey(principal);
      if (key !== null) take(memberLimits[rate], key);
      if (sessionId !== null) take(sessionLimits[rate], sessionId);
    },
    noteProof(secret, isValid) {
      validSecrets.delete(secret);
      if (!isValid) return;
      validSecrets.add(secret);
      const [oldest] = validSecrets;
      if (oldest !== undefined && validSecrets.size > limits.rateBucketsMax) validSecrets.delete(oldest);
    },
    async tryCode(address, attempt) {
      const block = toAddressBlock(address);
      take("failed_proof", block);
      const giveBack = () => getBuckets("failed_proof").giveBack(block);
      try {
        const result = await attempt();
        giveBack();
        return result;
      } catch (error) {
        // An internal error does not count as a wrong guess.
        if (!(error instanceof MerkleError) || error.status >= 500) giveBack();
        throw error;
      }
    },
  };
}

/**
 * Returns the key under which an identified principal is counted, regardless of its address. Returns null for
 * other callers.
 */
function toPrincipalKey(principal: Principal | null): string | null {
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

const memberLimits = {
  read: "member_read",
  write: "member_write",
  wait: "member_wait",
  create: "member_create",
} as const satisfies Readonly<Record<Operation["rate"], RateLimitName>>;

const sessionLimits = {
  read: "session_read",
  write: "session_write",
  wait: "session_wait",
  create: "session_create",
} as const satisfies Readonly<Record<Operation["rate"], RateLimitName>>;

const unlimited: Limiter = {
  rates: null,
  toCallerKey: toAddressBlock,
  admit: () => undefined,
  admitUpgrade: () => undefined,
  admitFrame: () => 0,
  admitCall: () => undefined,
  noteProof: () => undefined,
  tryCode: (_address, attempt) => attempt(),
};

/** The requests that each rate limit counts, worded for an error message. */
const limitDescriptions: Readonly<Record<RateLimitName, string>> = {
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

/**
 * Builds the error for an exceeded rate limit. The retry delay is at least one second, so that a client
 * cannot keep sending small bursts.
 */
function tooMany(name: RateLimitName, { per_second, burst }: RateLimit, missingMs: number): MerkleError {
  const retryAfter = Math.max(1, Math.ceil(missingMs / 1_000));
  return new MerkleError(
    "too_many_requests",
    `Too many ${limitDescriptions[name]}: the limit is ${per_second} per second, in bursts of up to ${burst}. Try again in ${retryAfter} s.`,
    { limit: name, per_second, burst, retry_after_s: retryAfter },
  );
}
