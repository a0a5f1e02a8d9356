import { findSession } from "@merkle/db";
import { MerkleError, type Operation, type SessionSettings } from "@merkle/wire";
import type { Services } from "../../context.js";
import { toSessionSettings } from "../settings/get-settings.js";
import type { TeamCaller } from "./credentials.js";
import type { SessionIdentity } from "./directory.js";

/** What a session's settings can keep for its convener (SES-15). */
const kept: Readonly<Record<string, { setting: keyof SessionSettings; what: string }>> = {
  conclude_session: { setting: "conclude_by", what: "conclude it" },
  update_session_metadata: { setting: "metadata_by", what: "change its title or description" },
};

/**
 * @param team - null for a person who is not in the session yet
 * @throws forbidden when the session keeps this for the team that created it, and the caller is another one
 */
export async function refuseByConvention(
  { database }: Services,
  { name }: Pick<Operation, "name">,
  session: SessionIdentity,
  team: Pick<TeamCaller, "teamId"> | null,
): Promise<void> {
  const rule = kept[name];
  if (!rule || team?.teamId === session.createdByTeamId) return;
  const row = await findSession(database.orm, database.meshId, session.sessionId);
  if (toSessionSettings(row?.settings)[rule.setting] !== "convener") return;
  throw new MerkleError(
    "forbidden",
    `In the session "${session.slug}" only the convener may ${rule.what}. Ask the convener to do it.`,
    { convener_team_id: session.createdByTeamId },
  );
}
