import type { Authority } from "@merkle/db";
import type { JobKind, MemberRole } from "@merkle/wire";

/**
 * Somebody who has been let in, and the mesh: a transport finds this out before anything else is looked at. As which team or
 * person somebody acts in a session is another question, which the credential of that answers (AUTH-2).
 */
export type Principal = Anyone | MemberPrincipal | Observer | JobPrincipal | ClientPrincipal;

/** In open mode whoever reaches the broker. */
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

/** Somebody who may look on in one session. */
export interface Observer {
  readonly kind: "observer";
  readonly meshId: string;
  readonly sessionId: string;
  readonly authority: Authority & { readonly token: number };
}

/** The agent of a running job, which may read the job's source and write what the job is for. */
export interface JobPrincipal {
  readonly kind: "job";
  readonly meshId: string;
  readonly job: number;
  readonly jobKind: JobKind;
  readonly sessionId: string | null;
  /** The file that the job is about, as `<root>/<path>`; null where it is a session's document. */
  readonly sourcePath: string | null;
  /** The number under which the job was claimed: whatever the agent writes counts only while that claim holds. */
  readonly fence: number;
}

/** A client that a member let in by OAuth: one team in one session, and no person (OAUTH-6). */
export interface ClientPrincipal {
  readonly kind: "client";
  readonly meshId: string;
  /** The member who let it in. */
  readonly memberId: string;
  readonly sessionId: string;
  readonly teamId: string;
  readonly token: number;
}

/** The member to whom belongs what somebody makes; null where everybody is let in, and it is its credential's holder's. */
export function ownerOf(principal: Principal | null): string | null {
  return principal?.kind === "member" || principal?.kind === "client" ? principal.memberId : null;
}

/** The token that let a principal in; null for a member's own key, and where everyone is let in. */
export function tokenOf(principal: Principal): number | null {
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

/** Whether a member's authority is a program's, which decides about nobody and lets nobody in (PERSON-11). */
export function isProgram(principal: Principal | null): boolean {
  return principal?.kind === "member" && principal.authority.program !== null;
}

/** Whether it is somebody to whom no other session than one exists. */
export function isConfined(
  principal: Principal | null,
): principal is Observer | JobPrincipal | ClientPrincipal {
  return principal?.kind === "observer" || principal?.kind === "job" || principal?.kind === "client";
}

/** Whether it is somebody for whom a browser or a connection can stay signed in. */
export function isNamed(principal: Principal | null): principal is MemberPrincipal | Observer {
  return principal?.kind === "member" || principal?.kind === "observer";
}
