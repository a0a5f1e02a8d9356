import { randomUUID } from "node:crypto";
import {
  changeMember,
  findMember,
  type InviteRow,
  insertNewMember,
  type MemberRow,
  type Transaction,
  takeInviteUse,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { encodeJoin, type JoinProof } from "@merkle/wire/keys";
import { isSigned } from "../../core/is-signed.js";
import { findClockSkew } from "../authenticator/clock-skew.js";
import type { IdentityContext, IdentityServices } from "../context.js";
import { getInvite, toInviteState, toSessionName } from "./invite.js";

type RedeemInviteInput = ParsedInputOf<"redeem_invite">;

/**
 * Makes the owner of a key a member of the invite's mesh. If the key already belongs to a member, that member
 * keeps the membership and the invite is not used up (INVITE-7). Concurrent requests never exceed the
 * invite's number of uses (INVITE-2).
 *
 * @throws forbidden if the invite can no longer be used, with the time and the inviter, or if the key was
 *   revoked
 */
export async function redeemInvite(
  ctx: IdentityContext<IdentityServices>,
  input: RedeemInviteInput,
): Promise<OutputOf<"redeem_invite">> {
  const { services } = ctx;
  const { database } = services;
  const { idempotency_key: _key, ...proof } = input;
  verifyJoin(proof, database.brokerId);
  const invite = await getInvite(database.orm, input.invite);
  // Refuses most requests for an ended invite without a transaction. Existing members may still redeem such
  // an invite again.
  const publicKey = Buffer.from(input.public_key, "base64url");
  if (!(await findMember(database.orm, invite.meshId, { publicKey }))) refuseEnded(invite);

  const member = await ctx.write(async ({ tx, afterCommit }) => {
    afterCommit(() => services.meshChannels.get(invite.meshId).announce("members", null));
    return admit(tx, invite, input);
  });
  return {
    broker_id: database.brokerId,
    mesh_id: invite.meshId,
    mesh: invite.mesh,
    member_id: member.memberId,
    name: member.name,
    role: member.role,
    session: toSessionName(invite),
  };
}

async function admit(tx: Transaction, invite: InviteRow, input: RedeemInviteInput): Promise<MemberFacts> {
  const { meshId, number } = invite;
  const publicKey = Buffer.from(input.public_key, "base64url");
  const known = await findMember(tx, meshId, { publicKey });
  if (known) return admitAgain(tx, invite, known);
  // Checked before the insert, which would otherwise have to be rolled back.
  refuseEnded(invite);
  const memberId = randomUUID();
  const member = {
    meshId,
    memberId,
    name: input.name,
    role: invite.role,
    publicKey,
    invite: number,
    ...toDescent(invite, memberId),
  };
  if (!(await insertNewMember(tx, member))) {
    // A concurrent request has already inserted the same key.
    const other = await findMember(tx, meshId, { publicKey });
    if (!other) throw new TypeError("A member was reported as existing but was not found.");
    return admitAgain(tx, invite, other);
  }
  if (!(await takeInviteUse(tx, invite))) throw inviteEnded({ ...invite, uses: invite.usesMax });
  return member;
}

type MemberFacts = Pick<MemberRow, "memberId" | "name" | "role">;

/**
 * Returns the member who vouches for a new member. The broker itself invites the first admin, who therefore
 * vouches for itself.
 */
function toDescent({ invitedBy, program }: InviteRow, memberId: string): Descent {
  return { vouchedBy: invitedBy ?? memberId, program };
}

type Descent = Pick<MemberRow, "vouchedBy" | "program">;

/**
 * Admits an existing member again, even if the invite has ended, without consuming one of its uses. Two cases
 * need an open invite and consume a use: the member becomes an admin, or the member gains a person who vouches
 * for it.
 */
async function admitAgain(tx: Transaction, invite: InviteRow, member: MemberRow): Promise<MemberFacts> {
  if (member.revokedAt) throw keyRevoked(member.revokedAt);
  const isRaised = invite.role === "admin" && member.role !== "admin" && member.invite !== invite.number;
  const isUnvouched = member.program !== null || member.vouchedBy === null;
  const isVouched = isUnvouched && invite.program === null && invite.invitedBy !== member.memberId;
  if (!isRaised && !(isVouched && toInviteState(invite) === "open")) return member;
  refuseEnded(invite);
  if (!(await takeInviteUse(tx, invite))) throw inviteEnded({ ...invite, uses: invite.usesMax });
  const role = isRaised ? "admin" : member.role;
  await changeMember(tx, member, { role, ...(isVouched && toDescent(invite, member.memberId)) });
  return { ...member, role };
}

function refuseEnded(invite: InviteRow): void {
  if (toInviteState(invite) !== "open") throw inviteEnded(invite);
}

/** Builds the error for an ended invite, in the same words that a preview shows. */
function inviteEnded(invite: InviteRow): MerkleError {
  const state = toInviteState(invite);
  const what = {
    open: "has been used up",
    used: "was used up",
    expired: `expired at ${invite.expiresAt.toISOString()}`,
    revoked: `was revoked at ${invite.revokedAt?.toISOString()}`,
  }[state];
  return new MerkleError("forbidden", `This invite ${what}. Ask ${invite.inviter} for a new one.`, {
    state,
    inviter: invite.inviter,
    expires_at: invite.expiresAt.toISOString(),
  });
}

function keyRevoked(at: Date): MerkleError {
  return new MerkleError(
    "forbidden",
    `The membership of this key ended at ${at.toISOString()}, and an invite cannot restore it. Join with a new key, or ask an admin.`,
    { state: "revoked" },
  );
}

/**
 * Shows anyone who has an invite what the invite is for. This includes the title, but nothing about the content
 * (INVITE-4).
 */
export async function previewInvite(
  { services }: IdentityContext<IdentityServices>,
  { invite }: ParsedInputOf<"preview_invite">,
): Promise<OutputOf<"preview_invite">> {
  const { addresses, database } = services;
  const row = await getInvite(database.orm, invite);
  return {
    state: toInviteState(row),
    mesh: row.mesh,
    title: row.session?.title ?? null,
    slug: row.session?.slug ?? null,
    inviter: row.inviter,
    role: row.role,
    expires_at: row.expiresAt.toISOString(),
    revoked_at: row.revokedAt?.toISOString() ?? null,
    uses_left: row.usesMax - row.uses,
    broker_id: database.brokerId,
    mesh_id: row.meshId,
    key_pin: addresses.findKeyPin(),
  };
}

/**
 * Verifies that the client holds the new member's private key and has signed a recent statement for this
 * broker (INVITE-6).
 *
 * @throws unauthorized
 */
function verifyJoin({ signature, ...statement }: JoinProof, brokerId: string, now = new Date()): void {
  const skew = findClockSkew(statement.time, now);
  if (skew) throw refuse(skew.problem, { reason: "time", ...skew.details });
  const bytes = encodeJoin({ broker_id: brokerId, ...statement });
  if (!isSigned(bytes, { key: statement.public_key, signature })) {
    throw refuse("the signature does not match the key, invite, name, time and broker");
  }
}

function refuse(why: string, details: object = {}): MerkleError {
  return new MerkleError(
    "unauthorized",
    `The proof for joining is not valid: ${why}. The invite was not used up.`,
    {
      ...details,
    },
  );
}
