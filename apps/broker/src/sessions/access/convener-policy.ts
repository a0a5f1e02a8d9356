import { findSession } from "@merkle/db";
import { MerkleError, type OperationRules } from "@merkle/wire";
import type { SessionIdentity } from "../../identity/session-directory.js";
import { toSessionSettings } from "../session-settings.js";
import type { TeamActor } from "./credentials.js";
import type { AccessServices } from "./services.js";

const restrictedActions = {
  conclude_by: "conclude it",
  metadata_by: "change its title or description",
} as const satisfies Readonly<Record<NonNullable<OperationRules["restrictedBy"]>, string>>;

/**
 * Refuses an action that the session's settings reserve for its convener (SES-15).
 *
 * @param team - null for a person who has not joined the session yet
 * @throws forbidden if the action is reserved for the convener and another team calls
 */
export async function requireConvenerPolicy(
  { database }: AccessServices,
  restrictedBy: NonNullable<OperationRules["restrictedBy"]>,
  session: SessionIdentity,
  team: Pick<TeamActor, "teamId"> | null,
): Promise<void> {
  if (team?.teamId === session.createdByTeamId) return;
  const row = await findSession(database.orm, database.meshId, session.sessionId);
  if (toSessionSettings(row?.settings)[restrictedBy] !== "convener") return;
  throw new MerkleError(
    "forbidden",
    `In the session "${session.slug}" only the convener may ${restrictedActions[restrictedBy]}. Ask the convener to do it.`,
    { convener_team_id: session.createdByTeamId },
  );
}
