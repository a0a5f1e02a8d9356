import { type InputOf, MerkleError, type OutputOf } from "@merkle/wire";
import type { OperationCaller } from "../broker/reach.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import type { ProcessLock } from "../core/process-lock.js";
import {
  findStoredPeer,
  holdTeam,
  type KeyPair,
  type StoredPeer,
  saveTeam,
  storedPeerId,
  toOwnPeer,
  toStoredPeer,
} from "../home/stored-peers.js";
import { shellWord } from "../text/shell.js";
import { keyCardOf, type ShownIn } from "./key-card.js";
import { listOwnTeams, listStoredPeersOf, type RequestedPeer } from "./requested-peer.js";

/** The peer to join as. Fields that are left out keep their values at the broker. */
export interface JoiningPeer {
  readonly caller: OperationCaller;
  readonly home: string;
  readonly meshId: string;
  /** The id of the client's conversation. If it is unknown (null), the stored id is kept. */
  readonly claudeSessionId: string | null;
  readonly role?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly capabilities?: InputOf<"join_session">["capabilities"];
  readonly cwd?: string | undefined;
  readonly machine?: string | undefined;
  readonly folder?: string | undefined;
  readonly sessionKey?: KeyPair | undefined;
}

export type JoinAsPeer = JoiningPeer & RequestedPeer;

/** A stored peer that has joined a session and is locked, so that only this process acts as the peer. */
export interface LockedPeer {
  readonly held: StoredPeer;
  /** The lock on the peer, to be released when the process stops acting as the peer. */
  readonly hold: ProcessLock;
  /** Whether the peer was already stored on this machine. */
  readonly resumed: boolean;
  readonly joined: OutputOf<"join_session">;
}

/**
 * Joins a session as a stored peer that no live process uses. If there is none, adds a peer to a stored team,
 * or creates and stores a new team (LAUNCH-4).
 *
 * @throws CliError `conflict` with a free name if the requested name is taken
 */
export async function joinAsPeer(wanted: JoinAsPeer): Promise<LockedPeer> {
  for (const stored of await listStoredPeersOf(wanted)) {
    const resumed = await rejoinStoredPeer(wanted, storedPeerId(stored));
    if (resumed) return resumed;
  }
  for (const team of await listOwnTeams(wanted)) {
    const added = await addToTeam(wanted, team);
    if (added) return added;
  }
  const name = wanted.peerName ?? wanted.defaultPeerName;
  const joined = await joinAs(wanted, name, (peer_name) => ({ team_name: wanted.teamName, ...peer_name }));
  // Store the team's credential, which is needed to add further peers later.
  if (joined.peer_id !== null) await saveTeam(wanted.home, toOwnPeer(joined, wanted));
  return holdNew(wanted, joined);
}

/**
 * Joins as exactly this stored peer. Returns undefined if a live process uses the peer or the broker refuses
 * it.
 */
export async function rejoinStoredPeer(
  joining: JoiningPeer,
  placeId: string,
): Promise<LockedPeer | undefined> {
  const lock = await holdTeam(joining.home, placeId);
  if (!lock) return undefined;
  let resumed = false;
  try {
    // Read the peer only while holding its lock, because the previous process may have changed or removed the
    // credential.
    const stored = await findStoredPeer(joining.home, placeId);
    const joined = stored && (await rejoin(joining, stored));
    if (!joined) return undefined;
    const held = toStoredPeer(joined, joining, stored);
    // Saving also updates the time of the last use, by which stored peers are sorted.
    await saveTeam(joining.home, held);
    resumed = true;
    return { held, hold: lock, resumed, joined };
  } finally {
    if (!resumed) await lock.release();
  }
}

async function rejoin(
  joining: JoiningPeer,
  stored: StoredPeer,
): Promise<OutputOf<"join_session"> | undefined> {
  const told = await toJoinFields({ ...joining, sessionKey: stored.session_key ?? joining.sessionKey });
  return unlessRefused(() =>
    joining.caller.call("join_session", {
      session_id: stored.session_id,
      team_name: stored.team_name,
      team_id: stored.credential,
      ...told,
    }),
  );
}

/** The default name for a peer that is added because the team's unnamed peer is in use. */
const toFurtherPeerName = "agent";

async function addToTeam(wanted: JoinAsPeer, team: StoredPeer): Promise<LockedPeer | undefined> {
  const name = wanted.peerName ?? wanted.defaultPeerName ?? toFurtherPeerName;
  const joined = await unlessRefused(() =>
    joinAs(wanted, name, (peer_name) => ({
      team_name: team.team_name,
      team_id: team.credential,
      ...peer_name,
    })),
  );
  return joined && holdNew(wanted, joined);
}

/**
 * Returns undefined if the broker does not recognise the stored credential. The file with the credential is
 * kept, because the broker may be wrong.
 */
async function unlessRefused<T>(join: () => Promise<T>): Promise<T | undefined> {
  try {
    return await join();
  } catch (error) {
    if (!(error instanceof MerkleError) || error.code !== "unauthorized") throw error;
    return undefined;
  }
}

const attemptsMax = 10;

/**
 * Joins under a name. Throws if a requested name is taken. If a default name is taken, uses the free name
 * that the broker suggests.
 */
async function joinAs(
  wanted: JoinAsPeer,
  name: string | null,
  as: (peerName: {
    peer_name?: string;
  }) => Pick<InputOf<"join_session">, "team_name" | "team_id" | "peer_name">,
): Promise<OutputOf<"join_session">> {
  const told = await toJoinFields(wanted);
  let peerName = name;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await wanted.caller.call("join_session", {
        session_id: wanted.sessionId,
        ...as(peerName === null ? {} : { peer_name: peerName }),
        ...told,
      });
    } catch (error) {
      const free = freeNameOf(error);
      if (free === undefined || peerName === null) throw error;
      if (wanted.peerName !== undefined) throw taken(peerName, free, error);
      if (attempt === attemptsMax) throw error;
      peerName = free;
    }
  }
}

function freeNameOf(error: unknown): string | undefined {
  if (!(error instanceof MerkleError) || error.code !== "conflict") return undefined;
  const free: unknown = error.details["free_name"];
  return typeof free === "string" ? free : undefined;
}

function taken(name: string, free: string, cause: unknown): CliError {
  return new CliError(
    "conflict",
    `The name ${JSON.stringify(name)} is taken in this session. ${JSON.stringify(free)} is free.`,
    {
      exitCode: exitCodes.conflict,
      next: [`--name ${shellWord(free)}`],
      details: { free_name: free },
      cause,
    },
  );
}

async function toJoinFields({ role, groups, capabilities, cwd, machine, sessionKey, ...where }: JoiningPeer) {
  return {
    ...(role !== undefined && { role }),
    ...(groups !== undefined && { groups: [...groups] }),
    ...(capabilities !== undefined && { capabilities }),
    ...(cwd !== undefined && { cwd }),
    ...(machine !== undefined && { machine }),
    ...(sessionKey !== undefined && (await toPublicKeyFields(sessionKey, where))),
  };
}

/** Returns the public parts of a peer's key: the public key and the card for encrypting private messages. */
export async function toPublicKeyFields(
  key: KeyPair,
  where: ShownIn,
): Promise<Pick<InputOf<"join_session">, "session_key" | "key_card">> {
  return { session_key: key.public, key_card: await keyCardOf(key, where) };
}

async function holdNew(joining: JoiningPeer, joined: OutputOf<"join_session">): Promise<LockedPeer> {
  const held = toStoredPeer(joined, joining);
  // Lock the peer before saving it, so that no other process finds it unused.
  const hold = await holdTeam(joining.home, storedPeerId(held));
  if (!hold)
    throw new Error(`Another process is already using ${storedPeerId(held)}, which has just joined.`);
  try {
    await saveTeam(joining.home, held);
    return { held, hold, resumed: false, joined };
  } catch (error) {
    await hold.release();
    throw error;
  }
}
