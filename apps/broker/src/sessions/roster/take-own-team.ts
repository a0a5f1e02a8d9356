import { findTeamOfMember, insertFurtherSecret, lockMember } from "@merkle/db";
import { limits } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import { makeCredential } from "../../identity/credential.js";
import { ownerOf } from "../../identity/principal.js";
import type { TeamCaller } from "../access/credentials.js";
import type { SessionContext, SessionServices } from "../context.js";

/**
 * The team of that name that the member who joins has in the session already, with a further credential of it: on another
 * machine, or after its home was lost, a member comes back to its team instead of making "Birch (2)" (MEMBER-3).
 */
export async function takeOwnTeam(
  ctx: SessionContext<SessionServices>,
  { tx, afterCommit }: Write,
  name: string,
): Promise<TeamCaller | null> {
  const memberId = ownerOf(ctx.principal);
  if (memberId === null) return null;
  const { services, session } = ctx;
  const { sessionId } = session;
  // Of two machines that join at once under one name, the second finds the first one's team.
  await lockMember(tx, services.database.meshId, memberId);
  const row = await findTeamOfMember(tx, sessionId, { memberId, name });
  if (!row) return null;
  const { credential, secretHash } = makeCredential(row.teamId);
  await insertFurtherSecret(
    tx,
    { scopeId: sessionId, id: row.teamId },
    { secretHash, max: limits.furtherSecretsMax },
  );
  afterCommit(() => services.credentials.forget(sessionId, row.teamId));
  const { teamId, kind, leftAt } = row;
  return { teamId, name: row.name, kind, memberId, leftAt, credential, peer: services.presence.load(row) };
}
