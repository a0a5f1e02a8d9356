import type { StoredPeer } from "../home/stored-peers.js";
import { findFreeStoredPeer, listOwnTeams } from "../sessions/wanted-peer.js";
import type { ChosenSession } from "./choose-session.js";
import type { Launching } from "./launching.js";

/** Stands for the id of a place that is not there yet. */
export const unknownPlaceId = "PLACE_ID";

interface ExpectedPeer {
  readonly place: Pick<StoredPeer, "slug" | "team_id" | "team_name" | "peer_id" | "peer_name">;
  /** In words: which kind of place it is. */
  readonly taken: string;
}

/** The place that a launch would take at this moment, as far as this machine can say: the broker may number its names. */
export async function expectedPeer(
  { wish, meshId, context, folder }: Launching,
  chosen: ChosenSession,
): Promise<ExpectedPeer> {
  const slug = chosen.kind === "there" ? chosen.session.slug : (chosen.slug ?? "NEW_SESSION");
  const wanted = {
    home: context.config.home,
    meshId,
    sessionId: chosen.kind === "there" ? chosen.session.session_id : slug,
    teamName: wish.team,
    peerName: wish.name,
    defaultPeerName: wish.defaultName,
    folder,
  };
  const held = wish.place ?? (await findFreeStoredPeer(wanted));
  if (held) return { place: held, taken: "a peer that is stored on this machine" };
  const unknown = { peer_id: unknownPlaceId, peer_name: wish.name ?? wish.defaultName };
  const [team] = await listOwnTeams(wanted);
  if (team)
    return { place: { ...team, ...unknown }, taken: "a new peer of a team that is stored on this machine" };
  return {
    place: { slug, team_id: unknownPlaceId, team_name: wish.team, ...unknown },
    taken: "in a new team",
  };
}
