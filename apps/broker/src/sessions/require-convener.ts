import { MerkleError } from "@merkle/wire";
import type { TeamContext } from "../context.js";

/** Refuses everybody but the team that created the session (SES-15). */
export function requireConvener({ session, team }: TeamContext, what: string): void {
  if (team.teamId === session.createdByTeamId) return;
  throw new MerkleError(
    "forbidden",
    `In the session "${session.slug}" only the convener may ${what}. Ask the convener to do it.`,
    { convener_team_id: session.createdByTeamId },
  );
}
