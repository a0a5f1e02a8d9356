import type { Authority } from "@merkle/db";
import type { JobKind, MemberRole } from "@merkle/wire";

/**
 * An authenticated client and its mesh. Transports determine the principal before anything else. A separate
 * credential, of a team or person, then determines who the client acts as in a session (AUTH-2).
 */
export type Principal = Anyone | MemberPrincipal | Observer | JobPrincipal | ClientPrincipal;

/** Any client of a broker that runs in open mode. */
export interface Anyone {
  readonly kind: "anyone";
  readonly meshId: string;
}

export interface MemberPrincipal {
  readonly kind: "member";
  readonly meshId: string;
  readonly memberId: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly authority: Authority;
}

/** A client that can only read one session. */
export interface Observer {
  readonly kind: "observer";
  readonly meshId: string;
  readonly sessionId: string;
  readonly authority: Authority & { readonly token: number };
}

/** A running job's agent, which may read the job's source and write the job's result. */
export interface JobPrincipal {
  readonly kind: "job";
  readonly meshId: string;
  readonly job: number;
  readonly jobKind: JobKind;
  readonly sessionId: string | null;
  /** The file that the job works on, as `<root>/<path>`. Null for a job about a session's document. */
  readonly sourcePath: string | null;
  /**
   * Number of the claim under which the job runs. The agent's writes are accepted only while this claim is
   * valid.
   */
  readonly fence: number;
}

/**
 * A client that a member has authorised by OAuth. It acts as one team in one session, never as a person
 * (OAUTH-6).
 */
export interface ClientPrincipal {
  readonly kind: "client";
  readonly meshId: string;
  /** The member who has authorised the client. */
  readonly memberId: string;
  readonly sessionId: string;
  readonly teamId: string;
  readonly token: number;
}

/**
 * Returns the member who owns everything that the principal creates. Null in open mode, where the holder of the
 * credential is the owner.
 */
export function findOwnerId(principal: Principal | null): string | null {
  return principal?.kind === "member" || principal?.kind === "client" ? principal.memberId : null;
}

/**
 * Returns the number of the token that authenticated a principal. Null for a member's own key and in open
 * mode.
 */
export function findTokenNumber(principal: Principal): number | null {
  switch (principal.kind) {
    case "member":
    case "observer":
      return principal.authority.token;
    case "client":
      return principal.token;
    default:
      return null;
  }
}

/**
 * Returns whether the principal is a program that uses a member's access. Programs may neither approve agents'
 * requests nor admit anyone (PERSON-11).
 */
export function isProgram(principal: Principal | null): boolean {
  return principal?.kind === "member" && principal.authority.program !== null;
}

/** Returns whether a principal can access only one session. */
export function isConfined(
  principal: Principal | null,
): principal is Observer | JobPrincipal | ClientPrincipal {
  return principal?.kind === "observer" || principal?.kind === "job" || principal?.kind === "client";
}

/** Returns whether a browser or connection can stay signed in as this principal. */
export function isNamed(principal: Principal | null): principal is MemberPrincipal | Observer {
  return principal?.kind === "member" || principal?.kind === "observer";
}
