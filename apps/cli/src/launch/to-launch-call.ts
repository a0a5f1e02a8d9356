import { toReach } from "../broker/reach.js";
import type { LaunchCall, LaunchedAgent } from "../clients/client.js";
import { type StoredPeer, toStoredPeerId } from "../home/stored-peers.js";
import { readEnvironment } from "../settings/config.js";
import type { PreparedLaunch } from "./prepared-launch.js";

/** Returns how to run the client as an agent that acts as this peer. */
export async function toLaunchCall(
  { context, options, program, broker }: Pick<PreparedLaunch, "context" | "options" | "program" | "broker">,
  peer: Pick<StoredPeer, "slug" | "team_id" | "team_name" | "peer_id" | "peer_name">,
): Promise<LaunchCall> {
  const agent: LaunchedAgent = {
    ...options.agent,
    userArgs: options.userArgs,
    version: program.version,
    env: readEnvironment().variables,
    cwd: options.cwd,
  };
  const peerFields = {
    ...{ storedPeerId: toStoredPeerId(peer), slug: peer.slug },
    ...{ teamName: peer.team_name, peerName: peer.peer_name },
  };
  return options.client.launch({ ...toReach(context.config), url: broker.base, ...peerFields }, agent);
}
