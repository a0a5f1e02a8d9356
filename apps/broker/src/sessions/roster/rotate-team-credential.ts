import { deleteFurtherSecrets, replacePeerSecret, replaceSecret } from "@merkle/db";
import type { OutputOf } from "@merkle/wire";
import { makeCredential } from "../../identity/credential.js";
import type { SessionServices, TeamContext } from "../context.js";

/**
 * Replaces the credential of a team or, if a named peer calls, of that peer. The old credential and the team's
 * credentials on other machines end immediately on every transport (AUTH-7).
 */
export async function rotateTeamCredential(
  ctx: TeamContext<SessionServices>,
): Promise<OutputOf<"rotate_team_credential">> {
  const { sessionId } = ctx.session;
  const { teamId, peer } = ctx.team;
  return ctx.write(async ({ tx, afterCommit }) => {
    const [id, replace] = peer.name === null ? [teamId, replaceSecret] : [peer.peerId, replacePeerSecret];
    const { credential, secretHash } = makeCredential(id);
    await replace(tx, sessionId, id, secretHash);
    await deleteFurtherSecrets(tx, { scopeId: sessionId, id });
    await ctx.storeIssuedCredential(tx, sessionId, credential);
    afterCommit(() => ctx.services.credentials.invalidate(sessionId, id));
    return { session_id: sessionId, team_id: credential };
  });
}
