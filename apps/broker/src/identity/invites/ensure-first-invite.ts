import { endOwnInvites, hasAdmin, insertInvite } from "@merkle/db";
import { limits } from "@merkle/wire";
import type { IdentityServices } from "../context.js";
import { makeInviteSecret, writeInviteLink } from "./invite-secret.js";

/**
 * The link by which the first admin of a mesh comes in, made anew at each start until somebody has; null once there is an
 * admin. What was printed before is good no more: it may lie in a log (INVITE-9).
 */
export async function ensureFirstInvite(services: FirstInviteServices): Promise<string | null> {
  if (await hasAdmin(services.database.orm, services.database.meshId)) return null;
  return makeAdminInvite(services);
}

/** Makes an admin's invite in the broker's own name, whoever is an admin already: for a key that was lost. */
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
      invitedBy: null,
      inviter: "whoever runs this broker",
      usesMax: 1,
      seconds: limits.inviteSeconds,
      spoken: null,
    });
  });
  return writeInviteLink(addresses.base(), secret);
}

type FirstInviteServices = Pick<IdentityServices, "database" | "addresses">;
