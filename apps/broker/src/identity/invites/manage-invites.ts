import { endInvite, endOwnInvites, findInvite, hasAdmin, insertInvite, listInviteRows } from "@merkle/db";
import { formatInviteCode, MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { IdentityContext, IdentityServices } from "../context.js";
import { findOwnerId } from "../principal.js";
import { requireMember, toListedMemberId } from "../require-member.js";
import { formatInviteLink, makeInviteCode, makeInviteSecret, toInvite, toInviteState } from "./invite.js";

type CreateInviteInput = ParsedInputOf<"create_invite">;

/**
 * Creates an invite to the mesh and optionally to one of its sessions. Only this reply contains the secret
 * and the code (INVITE-1).
 *
 * @throws forbidden if a member who is not an admin invites an admin
 */
export async function createInvite(
  ctx: IdentityContext<IdentityServices>,
  input: CreateInviteInput,
): Promise<OutputOf<"create_invite">> {
  const { services } = ctx;
  const { meshId } = services.database;
  const member = requireMember(ctx);
  if (input.role === "admin" && member.role !== "admin") throw adminsOnly();
  const sessionId = await findSessionId(services, input.session_id);

  return ctx.write(async ({ tx, afterCommit }) => {
    const { secret, secretHash } = makeInviteSecret();
    const code = input.code ? makeInviteCode() : null;
    const number = await insertInvite(tx, {
      meshId,
      secretHash,
      role: input.role,
      sessionId,
      authority: member.authority,
      inviter: member.name,
      usesMax: input.uses,
      seconds: input.expires_in_s,
      spoken:
        code === null ? null : { code, seconds: limits.inviteCodeSeconds, tries: limits.inviteCodeTries },
    });
    const row = await findInvite(tx, { meshId, number });
    if (!row) throw new TypeError("An invite was not stored.");
    afterCommit(() => services.mesh.announce("members", null));
    return {
      ...toInvite(row, member.memberId),
      link: formatInviteLink(services.addresses.getBaseUrl(), secret),
      code: code === null ? null : formatInviteCode(number, code),
      code_expires_at: row.codeExpiresAt?.toISOString() ?? null,
    };
  });
}

async function findSessionId(
  { sessions }: IdentityServices,
  ref: string | undefined,
): Promise<string | null> {
  if (ref === undefined) return null;
  const session = await sessions.find(ref);
  if (session) return session.sessionId;
  throw new MerkleError("not_found", `There is no session "${ref}".`, { next: "list_sessions" });
}

function adminsOnly(): MerkleError {
  return new MerkleError("forbidden", "Only admins can invite an admin. Ask an admin of this mesh.");
}

/**
 * Lists invites, newest first. Admins, and everyone in open mode, see all of the mesh's invites. Other
 * members see their own (INVITE-8).
 */
export async function listInvites(ctx: IdentityContext<IdentityServices>): Promise<OutputOf<"list_invites">> {
  const { database } = ctx.services;
  const rows = await listInviteRows(database.orm, database.meshId, {
    memberId: toListedMemberId(ctx.principal),
    limit: limits.invitesListedMax,
  });
  return { invites: rows.map((row) => toInvite(row, findOwnerId(ctx.principal))) };
}

/**
 * Revokes one of the caller's invites, or any invite if the caller is an admin. An invite that can no longer
 * be used is not changed (INVITE-8).
 */
export async function revokeInvite(
  ctx: IdentityContext<IdentityServices>,
  { invite_id: number }: ParsedInputOf<"revoke_invite">,
): Promise<OutputOf<"revoke_invite">> {
  const { mesh, database } = ctx.services;
  const { memberId, role } = requireMember(ctx);
  const key = { meshId: database.meshId, number };
  return ctx.write(async ({ tx, afterCommit }) => {
    const row = await findInvite(tx, key);
    if (!row || (role !== "admin" && row.invitedBy !== memberId)) throw noSuchInvite(number);
    await endInvite(tx, key);
    afterCommit(() => mesh.announce("members", null));
    const ended = await findInvite(tx, key);
    return { invite_id: number, state: toInviteState(ended ?? row) };
  });
}

function noSuchInvite(number: number): MerkleError {
  return new MerkleError("not_found", `You have no invite ${number}.`, { next: "list_invites" });
}

/**
 * Returns an invite link for a mesh's first admin, or null if the mesh already has an admin. Each start
 * creates a new link and ends the previous one, because a log may contain it (INVITE-9). Only the leading
 * node creates links, since otherwise the nodes would end each other's links.
 */
export async function ensureFirstInvite(
  services: FirstInviteServices & Pick<IdentityServices, "nodes">,
): Promise<string | null> {
  if (!services.nodes.isLeader) return null;
  if (await hasAdmin(services.database.orm, services.database.meshId)) return null;
  return makeAdminInvite(services);
}

/**
 * Creates an admin invite in the broker's own name, even if the mesh already has an admin. Used when an admin's
 * key has been lost.
 */
export async function makeAdminInvite({ database, addresses }: FirstInviteServices): Promise<string> {
  const { meshId } = database;
  const { secret, secretHash } = makeInviteSecret();
  await database.transaction(async (tx) => {
    await endOwnInvites(tx, meshId);
    await insertInvite(tx, {
      meshId,
      secretHash,
      role: "admin",
      sessionId: null,
      authority: null,
      inviter: "the person who runs this broker",
      usesMax: 1,
      seconds: limits.inviteSeconds,
      spoken: null,
    });
  });
  return formatInviteLink(addresses.getBaseUrl(), secret);
}

type FirstInviteServices = Pick<IdentityServices, "database" | "addresses">;
