import { listInviteRows } from "@merkle/db";
import { limits, type OutputOf } from "@merkle/wire";
import type { Context, IdentityServices } from "../context.js";
import { ownerOf } from "../principal.js";
import { onlyOf } from "../require-member.js";
import { toInvite } from "./invite-output.js";

/** Lists invites, the newest first: all of the mesh to an admin or where everybody is let in, else one's own (INVITE-8). */
export async function listInvites(ctx: Context<IdentityServices>): Promise<OutputOf<"list_invites">> {
  const { database } = ctx.services;
  const rows = await listInviteRows(database.orm, database.meshId, {
    memberId: onlyOf(ctx.principal),
    limit: limits.invitesListedMax,
  });
  return { invites: rows.map((row) => toInvite(row, ownerOf(ctx.principal))) };
}
