import { parseTeamCredential } from "@merkle/wire";
import type { HeldTeam } from "./held-teams.js";

interface GivenTeam {
  readonly session_id: string;
  readonly slug: string;
  /** The credential, as the broker names it where it gives one. */
  readonly team_id: string;
  readonly team_name: string;
}

/** A team that the broker has given, as this machine is to hold it from now on. */
export function toHeldTeam(
  { session_id, slug, team_id: credential, team_name }: GivenTeam,
  { meshId, claudeSessionId }: { readonly meshId: string; readonly claudeSessionId: string | null },
): HeldTeam {
  const parsed = parseTeamCredential(credential);
  if (!parsed) throw new Error("The broker gave a team's credential of another form.");
  return {
    mesh_id: meshId,
    session_id,
    slug,
    team_id: parsed.teamId,
    team_name,
    credential,
    claude_session_id: claudeSessionId,
    saved_at: new Date().toISOString(),
  };
}
