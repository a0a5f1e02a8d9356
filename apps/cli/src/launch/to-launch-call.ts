import { toReach } from "../broker/reach.js";
import type { LaunchCall, LaunchedAgent } from "../clients/client.js";
import { type StoredPeer, storedPeerId } from "../home/stored-peers.js";
import { readEnvironment } from "../settings/config.js";
import type { Launching } from "./launching.js";

/** Returns how to run the client as an agent that acts as this peer. */
export async function toLaunchCall(
  { context, wanted, program, broker }: Pick<Launching, "context" | "wanted" | "program" | "broker">,
  peer: Pick<StoredPeer, "slug" | "team_id" | "team_name" | "peer_id">,
): Promise<LaunchCall> {
  const agent: LaunchedAgent = {
    ...wanted.agent,
    userArgs: wanted.userArgs,
    version: program.version,
    env: readEnvironment().variables,
    cwd: wanted.cwd,
  };
  const place = { placeId: storedPeerId(peer), slug: peer.slug, teamName: peer.team_name };
  return wanted.client.launch({ ...toReach(context.config), url: broker.base, ...place }, agent);
}
