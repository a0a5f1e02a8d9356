import { type Database, findMember, findTokenByNumber, listRevoked } from "@merkle/db";
import type { Bus } from "../core/bus/bus.js";
import { findOwnerId, findTokenNumber, type Principal } from "./principal.js";

/** The revoked member or token. */
export type RevocationTarget = { readonly meshId: string } & (
  | { readonly memberId: string }
  | { readonly token: number }
);

/**
 * Ends connections and other access as soon as the membership or token on which they depend has ended
 * (ENTER-6).
 */
export interface Revocations {
  /**
   * Number of revocations so far. Read it before looking up a principal, and pass it to `noteLookUp` as
   * `before`.
   */
  readonly count: number;
  /**
   * Records how many revocations there were before a principal was looked up, and when the principal's token
   * expires.
   */
  noteLookUp(principal: Principal, lookup: { readonly before: number; readonly expiresAt?: Date }): void;
  /** Calls `end` once the principal's membership or token has ended. Returns a function that stops watching. */
  watch(principal: Principal | null, end: () => void): () => void;
  /** Ends everything that depends on a member or token, on every node. Call after the revocation is committed. */
  revoke(revoked: RevocationTarget): void;
  /**
   * Ends everything that was revoked on another node, in case the hint about the revocation was lost (NODE-9).
   */
  checkAll(): Promise<void>;
  /** Calls a listener at each revocation, before any connection is ended. */
  onRevoked(listener: () => void): void;
  stop(): void;
}

interface WatchedPrincipal {
  readonly principal: Principal;
  readonly end: () => void;
  readonly expires: NodeJS.Timeout | undefined;
}

/** Longest delay that a Node.js timer accepts. */
const timerMsMax = 2 ** 31 - 1;

export function createRevocationWatcher(database: Pick<Database, "orm">, bus: Bus): Revocations {
  const watched = new Set<WatchedPrincipal>();
  const listeners: (() => void)[] = [];
  const expiries = new WeakMap<Principal, Date>();
  // Number of revocations before each principal was looked up. If a principal is revoked before watching
  // starts, this differs from the current count.
  const countsBefore = new WeakMap<Principal, number>();
  let count = 0;

  async function isStillAdmitted(
    principal: Exclude<Principal, { kind: "anyone" | "job" }>,
  ): Promise<boolean> {
    const { meshId } = principal;
    const token = findTokenNumber(principal);
    // A token is active only while its member is, so checking the token is enough.
    if (token !== null) return (await findTokenByNumber(database.orm, meshId, token)) !== null;
    if (principal.kind !== "member") return false;
    const member = await findMember(database.orm, meshId, { memberId: principal.memberId });
    return member !== null && member.revokedAt === null;
  }

  function noteRevocation(): void {
    count += 1;
    for (const listener of listeners) listener();
  }

  /** Queries each member and token once, regardless of how many connections each has. */
  async function check(watchers: readonly WatchedPrincipal[]): Promise<void> {
    const members = new Map<string, { meshId: string; memberId: string }>();
    const tokens = new Map<string, { meshId: string; number: number }>();
    for (const { principal } of watchers) {
      const { meshId } = principal;
      if (principal.kind === "member")
        members.set(principal.memberId, { meshId, memberId: principal.memberId });
      const number = findTokenNumber(principal);
      if (number !== null) tokens.set(`${meshId} ${number}`, { meshId, number });
    }
    const revoked = await listRevoked(database.orm, {
      members: [...members.values()],
      tokens: [...tokens.values()],
    });
    for (const { principal, end } of watchers) {
      const isRevoked =
        (principal.kind === "member" && revoked.memberIds.has(principal.memberId)) ||
        revoked.tokens.has(`${principal.meshId} ${findTokenNumber(principal)}`);
      if (isRevoked) end();
    }
  }

  bus.on("revoked", ({ mesh: meshId, member, token }) => {
    noteRevocation();
    const revoked: RevocationTarget | null =
      member !== undefined ? { meshId, memberId: member } : token !== undefined ? { meshId, token } : null;
    return revoked && check([...watched].filter(({ principal }) => dependsOn(principal, revoked)));
  });

  return {
    get count() {
      return count;
    },
    noteLookUp(principal, { before, expiresAt }) {
      countsBefore.set(principal, before);
      if (expiresAt) expiries.set(principal, expiresAt);
    },
    watch(principal, end) {
      // A job's agent keeps no connection open, and each of its calls is authenticated again.
      if (!principal || principal.kind === "anyone" || principal.kind === "job") return () => undefined;
      const expiresAt = expiries.get(principal);
      const remainingMs = expiresAt && Math.min(expiresAt.getTime() - Date.now(), timerMsMax);
      const expires = remainingMs === undefined ? undefined : setTimeout(end, Math.max(remainingMs, 0));
      const entry: WatchedPrincipal = { principal, end, expires };
      watched.add(entry);
      if (countsBefore.get(principal) !== count) {
        isStillAdmitted(principal).then(
          (isAdmitted) => isAdmitted || end(),
          () => end(),
        );
      }
      return () => {
        clearTimeout(expires);
        watched.delete(entry);
      };
    },
    revoke(revoked) {
      noteRevocation();
      for (const { principal, end } of [...watched]) if (dependsOn(principal, revoked)) end();
      const { meshId: mesh } = revoked;
      bus.publish(
        "revoked",
        "token" in revoked ? { mesh, token: revoked.token } : { mesh, member: revoked.memberId },
      );
    },
    checkAll: () => (watched.size === 0 ? Promise.resolve() : check([...watched])),
    onRevoked: (listener) => void listeners.push(listener),
    stop() {
      for (const { expires } of watched) clearTimeout(expires);
      watched.clear();
    },
  };
}

function dependsOn(principal: Principal, revoked: RevocationTarget): boolean {
  if (principal.meshId !== revoked.meshId) return false;
  if ("token" in revoked) return findTokenNumber(principal) === revoked.token;
  return findOwnerId(principal) === revoked.memberId;
}
