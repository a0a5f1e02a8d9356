/** How often something may be done: `burst` times at once, and from then on `per_second` times a second. */
export interface RateLimit {
  readonly per_second: number;
  readonly burst: number;
}

/**
 * How often the broker lets be called, where others than this machine's people can reach it (GUARD-5). A rate stops floods and
 * never work: reckoned are 30 busy agents of one member, behind one address. A busy agent takes a step a second, and a step
 * is two calls and what its hooks read, five in all; a message wakes the waits of a whole session at once, and five a
 * second are as many as anybody can follow. 30 agents that are started together make or join as many sessions and people
 * twice over. A session has room for two such members, and an address, where calls of every kind count, and pages and their
 * parts, for three of them and for all of them coming back at once.
 */
export const rateLimits = {
  /** Requests, upgrades and frames of one address (of IPv6: of its /64), before anything in them is looked at. */
  address: { per_second: 1_000, burst: 10_000 },
  /** Upgrades of one address: a connection takes more work to open than to use, and stays. */
  upgrade: { per_second: 20, burst: 100 },
  /** Wrong spoken codes of invites from one address. Whatever else proves somebody is too long to be guessed. */
  failed_proof: { per_second: 0.5, burst: 100 },
  /** Of one member, whatever the session. */
  member_read: { per_second: 300, burst: 3_000 },
  member_write: { per_second: 150, burst: 1_500 },
  member_wait: { per_second: 300, burst: 3_000 },
  member_create: { per_second: 5, burst: 100 },
  /** In one session, whoever calls. */
  session_read: { per_second: 600, burst: 6_000 },
  session_write: { per_second: 300, burst: 3_000 },
  session_wait: { per_second: 600, burst: 6_000 },
  session_create: { per_second: 10, burst: 200 },
} as const satisfies Readonly<Record<string, RateLimit>>;

export type RateLimitName = keyof typeof rateLimits;

export type RateLimits = Readonly<Record<RateLimitName, RateLimit>>;
