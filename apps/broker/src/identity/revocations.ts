import { type Database, findMember, findTokenByNumber } from "@merkle/db";
import { ownerOf, type Principal } from "./principal.js";

/** A member, or a token and all that was got by it. */
export type Revoked = { readonly meshId: string } & (
  | { readonly memberId: string }
  | { readonly token: number }
);

/** Ends what stands on a membership or a token as soon as that ends (ENTER-6). */
export interface Revocations {
  /** How many there were; who looks a principal up reads it before, and notes it with the principal. */
  readonly count: number;
  /** Notes how many revocations there were before a principal was looked up, and when its token expires. */
  noteLookUp(principal: Principal, found: { readonly before: number; readonly expiresAt?: Date }): void;
  /** Calls `end` once the principal's membership or token has ended. Returns how to stop watching. */
  watch(principal: Principal | null, end: () => void): () => void;
  /** Ends all that stands on a member or a token; to be called when that is committed. */
  revoke(revoked: Revoked): void;
  /** Calls a listener at each revocation, before anything is ended. */
  onRevoked(listener: () => void): void;
  stop(): void;
}

interface Watched {
  readonly principal: Principal;
  readonly end: () => void;
  readonly expires: NodeJS.Timeout | undefined;
}

/** A timer cannot be set further ahead. */
const timerMsMax = 2 ** 31 - 1;

export function createRevocations(database: Pick<Database, "orm">): Revocations {
  const watched = new Set<Watched>();
  const listeners: (() => void)[] = [];
  const expiries = new WeakMap<Principal, Date>();
  // A principal may be revoked between being looked up and being watched: then these differ from the count.
  const countsBefore = new WeakMap<Principal, number>();
  let count = 0;

  async function isStillIn(principal: Exclude<Principal, { kind: "anyone" | "job" }>): Promise<boolean> {
    const { meshId, token } = principal;
    // A token is in force only as long as its member is one.
    if (token !== null) return (await findTokenByNumber(database.orm, meshId, token)) !== null;
    if (principal.kind !== "member") return false;
    const member = await findMember(database.orm, meshId, { memberId: principal.memberId });
    return member !== null && member.revokedAt === null;
  }

  return {
    get count() {
      return count;
    },
    noteLookUp(principal, { before, expiresAt }) {
      countsBefore.set(principal, before);
      if (expiresAt) expiries.set(principal, expiresAt);
    },
    watch(principal, end) {
      // A job's agent opens no connection that stays: each of its calls is looked up anew.
      if (!principal || principal.kind === "anyone" || principal.kind === "job") return () => undefined;
      const expiresAt = expiries.get(principal);
      const inMs = expiresAt && Math.min(expiresAt.getTime() - Date.now(), timerMsMax);
      const expires = inMs === undefined ? undefined : setTimeout(end, Math.max(inMs, 0));
      const each: Watched = { principal, end, expires };
      watched.add(each);
      if (countsBefore.get(principal) !== count) {
        isStillIn(principal).then(
          (isIn) => isIn || end(),
          () => end(),
        );
      }
      return () => {
        clearTimeout(expires);
        watched.delete(each);
      };
    },
    revoke(revoked) {
      count += 1;
      for (const listener of listeners) listener();
      for (const { principal, end } of [...watched]) if (standsOn(principal, revoked)) end();
    },
    onRevoked: (listener) => void listeners.push(listener),
    stop() {
      for (const { expires } of watched) clearTimeout(expires);
      watched.clear();
    },
  };
}

function standsOn(principal: Principal, revoked: Revoked): boolean {
  if (principal.meshId !== revoked.meshId) return false;
  if ("token" in revoked) return "token" in principal && principal.token === revoked.token;
  return ownerOf(principal) === revoked.memberId;
}
