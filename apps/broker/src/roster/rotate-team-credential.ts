import { replaceSecret } from "@merkle/db";
import { makeCredential } from "../access/credentials.js";
import type { OutputOf, TeamContext } from "../context.js";

/** Gives a team another credential and ends the old one at once, at every door (AUTH-7). */
export async function rotateTeamCredential(ctx: TeamContext): Promise<OutputOf<"rotate_team_credential">> {
  const { sessionId } = ctx.session;
  const { teamId } = ctx.team;
  return ctx.write(async ({ tx, afterCommit }) => {
    const { credential, secretHash } = makeCredential(teamId);
    await replaceSecret(tx, sessionId, teamId, secretHash);
    afterCommit(() => ctx.services.credentials.forget(sessionId, ctx.team.credential));
    return { session_id: sessionId, team_id: credential };
  });
}
