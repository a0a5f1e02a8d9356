import { hostname } from "node:os";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { BrokerClient } from "../broker/broker-client.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { saveStoredPeer, toOwnPeer } from "../home/stored-peers.js";
import { type JoiningPeer, joinAsPeer, type LockedPeer, rejoinStoredPeer } from "../sessions/join-as-peer.js";
import { createSessionKey } from "../sessions/session-key.js";
import type { LaunchPeer } from "./choose-peer.js";
import type { ChosenSession } from "./choose-session.js";
import type { LaunchOptions } from "./launch-options.js";

interface EnterSessionOptions {
  readonly broker: BrokerClient;
  readonly home: string;
  readonly meshId: string;
  readonly peer: LaunchPeer;
  readonly wake: LaunchOptions["wake"];
  readonly concludeBy: LaunchOptions["concludeBy"];
  readonly cwd: string;
  /** The worktree in which the agent works. Stored with the peer. */
  readonly folder: string;
}

export interface EnteredSession extends LockedPeer {
  /** Whether this launch created the session. */
  readonly isNewSession: boolean;
}

/**
 * Joins the chosen session as a peer, after creating the session if it does not exist. If several launches
 * create the same session at the same time, one of them creates it and the others join (LAUNCH-2).
 */
export async function enterSession(
  chosen: ChosenSession,
  options: EnterSessionOptions,
): Promise<EnteredSession> {
  if (chosen.kind === "there")
    return { ...(await enter(chosen.session.session_id, options)), isNewSession: false };
  const sessionId = await createSession(chosen, options);
  return { ...(await enter(sessionId ?? chosen.slug ?? "", options)), isNewSession: sessionId !== undefined };
}

async function enter(
  sessionId: string,
  { broker, home, meshId, peer, wake, cwd, folder }: EnterSessionOptions,
): Promise<LockedPeer> {
  const joining: JoiningPeer = {
    caller: broker,
    home,
    meshId,
    claudeSessionId: null,
    role: peer.role,
    groups: peer.groups,
    wake,
    ...toLocation(cwd),
    folder,
    sessionKey: createSessionKey(),
  };
  if (peer.stored)
    return (
      (await rejoinStoredPeer(joining, peer.stored.peer_id ?? peer.stored.team_id)) ?? throwPeerInUse(peer)
    );
  const { team: teamName, name: peerName, defaultName: defaultPeerName } = peer;
  return joinAsPeer({ ...joining, sessionId, teamName, peerName, defaultPeerName });
}

/**
 * Returns the machine's name and the folder to show in the roster. Omits the folder if its path is too long.
 */
function toLocation(cwd: string): Pick<JoiningPeer, "cwd" | "machine"> {
  return { machine: hostname().slice(0, limits.nameCharsMax), cwd: cwd.length <= 1_000 ? cwd : undefined };
}

function throwPeerInUse({ team }: LaunchPeer): never {
  throw new CliError(
    "conflict",
    `Another process is already using this conversation's peer of the team ${JSON.stringify(team)}.`,
    {
      exitCode: exitCodes.conflict,
      next: ["choose another with --session and --team"],
    },
  );
}

/**
 * Creates the session with the team as its convener, and stores the team's credential. Returns undefined if
 * another launch created the session first.
 */
async function createSession(
  { slug, title }: Extract<ChosenSession, { kind: "new" }>,
  { broker, home, meshId, peer, concludeBy }: EnterSessionOptions,
): Promise<string | undefined> {
  const created = await broker
    .call("create_session", {
      title,
      ...(slug !== undefined && { slug }),
      creator_team_name: peer.team,
      ...(concludeBy && { settings: { conclude_by: concludeBy } }),
    })
    .catch((error: unknown) => {
      if (slug !== undefined && error instanceof MerkleError && error.code === "conflict") return undefined;
      throw error;
    });
  if (!created) return undefined;
  await saveStoredPeer(home, toOwnPeer({ ...created, team_name: peer.team }, { meshId }));
  return created.session_id;
}
