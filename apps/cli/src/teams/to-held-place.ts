import type { OutputOf } from "@merkle/wire";
import { parseTeamCredential } from "@merkle/wire/plain";
import type { HeldTeam, KeyPair } from "./held-team.js";

/** A place that the broker has given, as it names it where it gives one. */
export type GivenPlace = Pick<OutputOf<"join_session">, "session_id" | "slug" | "team_id" | "team_name"> &
  Partial<Pick<OutputOf<"join_session">, "peer_id" | "peer_name">>;

export interface PlaceHolder {
  readonly meshId: string;
  readonly claudeSessionId: string | null;
  readonly role?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly sessionKey?: KeyPair | undefined;
}

/**
 * A place that the broker has given, as this machine is to hold it from now on.
 *
 * @param before - as it was held, where it was resumed: what is not said anew stays
 */
export function toHeldPlace(given: GivenPlace, holder: PlaceHolder, before?: HeldTeam): HeldTeam {
  const { session_id, slug, team_id: teamCredential, team_name } = given;
  const { peer_id: peerCredential = null, peer_name = null } = given;
  return {
    mesh_id: holder.meshId,
    session_id,
    slug,
    // To a peer that was resumed by its credential, that comes back in the place of the team's.
    team_id: before?.team_id ?? bareId(teamCredential),
    team_name,
    peer_id: peerCredential === null ? null : bareId(peerCredential),
    peer_name,
    role: holder.role ?? before?.role ?? null,
    groups: holder.groups ?? before?.groups ?? [],
    credential: peerCredential ?? teamCredential,
    // Others know the place by its key, so the first one stays.
    session_key: before?.session_key ?? holder.sessionKey ?? null,
    claude_session_id: holder.claudeSessionId ?? before?.claude_session_id ?? null,
    saved_at: new Date().toISOString(),
  };
}

/** The team's own place, which has no name and no life of its own beside the peer that the team was made with. */
export function toOwnPlace(
  { session_id, slug, team_id, team_name }: GivenPlace,
  { meshId }: Pick<PlaceHolder, "meshId">,
): HeldTeam {
  return toHeldPlace({ session_id, slug, team_id, team_name }, { meshId, claudeSessionId: null });
}

function bareId(credential: string): string {
  const parsed = parseTeamCredential(credential);
  if (!parsed) throw new Error("The broker gave a credential of another form.");
  return parsed.teamId;
}
