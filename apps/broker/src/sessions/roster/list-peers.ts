import type { OutputOf, ParsedInputOf, Peer } from "@merkle/wire";
import type { SessionContext, SessionServices } from "../context.js";
import { isMember } from "../peers/membership.js";
import { readPeers } from "./read-peers.js";

export async function listPeers(
  { services, session }: SessionContext<SessionServices>,
  { group, include_left }: ParsedInputOf<"list_peers">,
): Promise<OutputOf<"list_peers">> {
  const peers = await readPeers(services, session, { includeLeft: include_left });
  return { peers: group === undefined ? peers : peers.filter((peer) => isIn(peer, group)) };
}

function isIn(peer: Peer, group: string): boolean {
  switch (group.toLowerCase()) {
    case "all":
      return true;
    case "humans":
      return peer.kind !== "agent";
    default:
      return isMember(peer.groups, group);
  }
}
