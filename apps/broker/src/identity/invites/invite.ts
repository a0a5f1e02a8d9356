import { randomBytes } from "node:crypto";
import { findInviteBySecret, type InviteRow, type Queryable, tryInviteCode } from "@merkle/db";
import { type Invite, MerkleError, parseInvite } from "@merkle/wire";
import { hashSecret } from "../credential.js";

/**
 * Finds the invite that a link or code belongs to, whatever the invite's state.
 *
 * @throws not_found if no invite matches, always with the same message; a wrong code counts as a failed
 *   attempt (INVITE-5)
 */
export async function getInvite(db: Queryable, text: string): Promise<InviteRow> {
  const words = parseInvite(text);
  const row =
    words?.kind === "secret"
      ? await findInviteBySecret(db, hashSecret(words.secret))
      : words && (await tryInviteCode(db, words));
  if (row) return row;
  throw new MerkleError(
    "not_found",
    "Invite not found. Check that the link is complete. A spoken code is valid for ten minutes and a few tries. If it has expired, ask the person who invited you for a new invite.",
  );
}

/** Returns whether an invite can still be used, and if not, why. */
export function toInviteState({ uses, usesMax, revokedAt, expired }: InviteRow): Invite["state"] {
  if (revokedAt) return "revoked";
  if (uses >= usesMax) return "used";
  return expired ? "expired" : "open";
}

/** Converts an invite to the form shown to members who may revoke it. */
export function toInvite(row: InviteRow, memberId: string | null): Invite {
  return {
    invite_id: row.number,
    state: toInviteState(row),
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

/** Creates the secret of an invite link, 132 random bits, and the hash that is stored (INVITE-1). */
export function makeInviteSecret(): { secret: string; secretHash: Buffer } {
  const secret = randomBytes(17).toString("base64url").slice(0, 22);
  return { secret, secretHash: hashSecret(secret) };
}

/**
 * Creates a code of eight characters in Crockford's base32, 40 bits. The code is short enough to read aloud,
 * so it is valid only briefly and for a few attempts.
 */
export function makeInviteCode(): string {
  return Array.from(randomBytes(8), (byte) => alphabet.charAt(byte & 31)).join("");
}

/** Builds an invite link. The secret follows the `#`, which browsers do not send to servers. */
export function formatInviteLink(base: string, secret: string): string {
  return `${base}/join#${secret}`;
}

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
