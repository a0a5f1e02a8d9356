import { hostname } from "node:os";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { BrokerClient } from "../broker/broker-client.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { saveTeam, toOwnPeer } from "../home/stored-peers.js";
import { type JoiningPeer, joinAsPeer, type LockedPeer, rejoinStoredPeer } from "../sessions/join-as-peer.js";
import { makeSessionKey } from "../sessions/session-key.js";
import type { ChosenSession } from "./choose-session.js";
import type { Wanted, Wish } from "./launch-options.js";

interface EnterSession {
  readonly broker: BrokerClient;
  readonly home: string;
  readonly meshId: string;
  readonly wish: Wish;
  readonly concludeBy: Wanted["concludeBy"];
  readonly cwd: string;
  /** As a stored peer keeps it. */
  readonly folder: string;
}

export interface EnteredSession extends LockedPeer {
  /** Whether the session was made for this. */
  readonly created: boolean;
}

/**
 * Takes a place in the chosen session, and makes that first when it is not there. Of several that make the same one at a
 * moment, one does and the others join it (LAUNCH-2).
 */
export async function enterSession(chosen: ChosenSession, how: EnterSession): Promise<EnteredSession> {
  if (chosen.kind === "there") return { ...(await enter(chosen.session.session_id, how)), created: false };
  const sessionId = await createSession(chosen, how);
  return { ...(await enter(sessionId ?? chosen.slug ?? "", how)), created: sessionId !== undefined };
}

async function enter(
  sessionId: string,
  { broker, home, meshId, wish, cwd, folder }: EnterSession,
): Promise<LockedPeer> {
  const joining: JoiningPeer = {
    caller: broker,
    home,
    meshId,
    claudeSessionId: null,
    role: wish.role,
    groups: wish.groups,
    ...whereHere(cwd),
    folder,
    sessionKey: makeSessionKey(),
  };
  if (wish.place)
    return (await rejoinStoredPeer(joining, wish.place.peer_id ?? wish.place.team_id)) ?? gone(wish);
  const { team: teamName, name: peerName, defaultName: defaultPeerName } = wish;
  return joinAsPeer({ ...joining, sessionId, teamName, peerName, defaultPeerName });
}

/** As the roster shows it; what does not fit into it is left out. */
function whereHere(cwd: string): Pick<JoiningPeer, "cwd" | "machine"> {
  return { machine: hostname().slice(0, limits.nameCharsMax), cwd: cwd.length <= 1_000 ? cwd : undefined };
}

function gone({ team }: Wish): never {
  throw new CliError(
    "conflict",
    `Another process is already using this conversation's peer of the team ${JSON.stringify(team)}.`,
    {
      exitCode: exitCodes.conflict,
      next: ["choose another with --session and --team"],
    },
  );
}

/** Makes the session, with the team as its convener, which is held from then on; undefined when somebody else was first. */
async function createSession(
  { slug, title }: Extract<ChosenSession, { kind: "new" }>,
  { broker, home, meshId, wish, concludeBy }: EnterSession,
): Promise<string | undefined> {
  const created = await broker
    .call("create_session", {
      title,
      ...(slug !== undefined && { slug }),
      creator_team_name: wish.team,
      ...(concludeBy && { settings: { conclude_by: concludeBy } }),
    })
    .catch((error: unknown) => {
      if (slug !== undefined && error instanceof MerkleError && error.code === "conflict") return undefined;
      throw error;
    });
  if (!created) return undefined;
  await saveTeam(home, toOwnPeer({ ...created, team_name: wish.team }, { meshId }));
  return created.session_id;
}
