import type { InviteRow } from "@merkle/db";
import type { Invite } from "@merkle/wire";

/** Whether an invite still lets somebody in, and else why not. */
export function stateOf({ uses, usesMax, revokedAt, expired }: InviteRow): Invite["state"] {
  if (revokedAt) return "revoked";
  if (uses >= usesMax) return "used";
  return expired ? "expired" : "open";
}

/** An invite as those see it who may revoke it. */
export function toInvite(row: InviteRow, memberId: string | null): Invite {
  return {
    invite_id: row.number,
    state: stateOf(row),
    role: row.role,
    session: toSessionName(row),
    inviter: row.inviter,
    own: memberId !== null && row.invitedBy === memberId,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    uses_max: row.usesMax,
    uses_left: row.usesMax - row.uses,
  };
}

export function toSessionName({ session }: Pick<InviteRow, "session">): Invite["session"] {
  return session && { session_id: session.sessionId, slug: session.slug, title: session.title };
}
