import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { Context, IdentityServices } from "../context.js";
import { findGivenInvite } from "./find-invite.js";
import { stateOf } from "./invite-output.js";

/** Says what an invite is for, to whoever holds it: the title, and nothing of what lies behind it (INVITE-4). */
export async function previewInvite(
  { services }: Context<IdentityServices>,
  { invite }: ParsedInputOf<"preview_invite">,
): Promise<OutputOf<"preview_invite">> {
  const { database } = services;
  const row = await findGivenInvite(database.orm, invite);
  return {
    state: stateOf(row),
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
  };
}
