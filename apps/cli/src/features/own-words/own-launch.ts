import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { OwnLaunch } from "@merkle/wire/schemas";
import * as z from "zod";
import type { BrokerClient } from "../../broker/broker-client.js";
import { usageError } from "../../core/cli-error.js";
import { explainHomeErrors } from "../../core/merkle-home.js";
import { readPrivateJson, writePrivateJson } from "../../core/private-file.js";
import { getSystemUserName } from "../../core/system-user.js";
import { type StoredPeer, toOwnLaunchPath, toStoredPeerId } from "../../home/stored-peers.js";
import type { OwnConfig } from "../../identity/own-words.js";
import { getDeviceKey } from "./device-key.js";

/**
 * What a launch is bound to, in a file of the agent's own machine. Neither the devices nor the name ever come from the
 * broker.
 */
const StoredOwnLaunch = OwnLaunch.extend({
  peer_id: z.string(),
  /** The name of the agent's user. */
  person: z.string(),
  /** The signed messages that the agent has received, for as long as their time is valid. */
  received: z.array(z.object({ nonce: z.string(), sequence: z.int(), at: z.string() })),
});
export type StoredOwnLaunch = z.output<typeof StoredOwnLaunch>;

/** Returns what a peer's launch is bound to, or undefined if it is not bound. */
export function findOwnLaunch(home: string, storedPeerId: string): StoredOwnLaunch | undefined {
  try {
    return StoredOwnLaunch.safeParse(readPrivateJson(toOwnLaunchPath(home, storedPeerId))).data;
  } catch {
    // A file that cannot be read binds nothing.
    return undefined;
  }
}

export function saveOwnLaunch(home: string, storedPeerId: string, launch: StoredOwnLaunch): void {
  writePrivateJson(toOwnLaunchPath(home, storedPeerId), launch);
}

/**
 * Binds a new launch of a peer to this home and to the devices in its config.json (OWN-1). Words that were signed for an
 * earlier launch no longer count.
 *
 * @throws CliError `usage` if the peer has no name
 */
export async function bindLaunch(
  peer: StoredPeer,
  { home, personName, ownDevices }: OwnConfig,
): Promise<number> {
  if (peer.peer_id === null)
    throw usageError("--own-words needs a peer with a name: add --name.", "merkle help launch");
  const { device } = await getDeviceKey(home);
  const launch = {
    ...{ launch: randomBytes(16).toString("hex"), devices: [device, ...ownDevices] },
    ...{ peer_id: peer.peer_id, person: personName ?? getSystemUserName(), received: [] },
  };
  await explainHomeErrors(home, async () => saveOwnLaunch(home, toStoredPeerId(peer), launch));
  return ownDevices.length;
}

/** Ends what an earlier launch of the peer was bound to, also for those who ask the broker. */
export async function unbindLaunch(
  peer: StoredPeer,
  home: string,
  broker: Pick<BrokerClient, "call">,
): Promise<void> {
  if (!findOwnLaunch(home, toStoredPeerId(peer))) return;
  rmSync(toOwnLaunchPath(home, toStoredPeerId(peer)), { force: true });
  const { session_id, team_name, credential: team_id } = peer;
  await broker.call("join_session", { session_id, team_name, team_id, own_words: null });
}
