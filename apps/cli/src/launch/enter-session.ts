import { hostname } from "node:os";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { BrokerClient } from "../broker/broker-client.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { saveTeam, toOwnPeer } from "../home/stored-peers.js";
import { type JoiningPeer, joinAsPeer, type LockedPeer, rejoinStoredPeer } from "../sessions/join-as-peer.js";
import { makeSessionKey } from "../sessions/session-key.js";
import type { LaunchPeer } from "./as-whom.js";
import type { LaunchOptions } from "./launch-options.js";
import type { ChosenSession } from "./which-session.js";

interface EnterSession {
  readonly broker: BrokerClient;
  readonly home: string;
  readonly meshId: string;
  readonly peer: LaunchPeer;
  readonly concludeBy: LaunchOptions["concludeBy"];
  readonly cwd: string;
  /** The worktree in which the agent works. Stored with the peer. */
  readonly folder: string;
}

export interface EnteredSession extends LockedPeer {
  /** Whether this launch created the session. */
  readonly created: boolean;
}

/**
 * Joins the chosen session as a peer, after creating the session if it does not exist. If several launches
 * create the same session at the same time, one of them creates it and the others join (LAUNCH-2).
 */
export async function enterSession(chosen: ChosenSession, how: EnterSession): Promise<EnteredSession> {
  if (chosen.kind === "there") return { ...(await enter(chosen.session.session_id, how)), created: false };
  const sessionId = await createSession(chosen, how);
  return { ...(await enter(sessionId ?? chosen.slug ?? "", how)), created: sessionId !== undefined };
}

async function enter(
  sessionId: string,
  { broker, home, meshId, peer, cwd, folder }: EnterSession,
): Promise<LockedPeer> {
  const joining: JoiningPeer = {
    caller: broker,
    home,
    meshId,
    claudeSessionId: null,
    role: peer.role,
    groups: peer.groups,
    ...whereHere(cwd),
    folder,
    sessionKey: makeSessionKey(),
  };
  if (peer.stored)
    return (await rejoinStoredPeer(joining, peer.stored.peer_id ?? peer.stored.team_id)) ?? gone(peer);
  const { team: teamName, name: peerName, defaultName: defaultPeerName } = peer;
  return joinAsPeer({ ...joining, sessionId, teamName, peerName, defaultPeerName });
}

/**
 * Returns the machine's name and the folder to show in the roster. Omits the folder if its path is too long.
 */
function whereHere(cwd: string): Pick<JoiningPeer, "cwd" | "machine"> {
  return { machine: hostname().slice(0, limits.nameCharsMax), cwd: cwd.length <= 1_000 ? cwd : undefined };
}

function gone({ team }: LaunchPeer): never {
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
  { broker, home, meshId, peer, concludeBy }: EnterSession,
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
  await saveTeam(home, toOwnPeer({ ...created, team_name: peer.team }, { meshId }));
  return created.session_id;
}
