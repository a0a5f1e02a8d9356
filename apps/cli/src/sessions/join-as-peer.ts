import { type InputOf, MerkleError, type OutputOf, type WakePreference } from "@merkle/wire";
import type { OperationCaller } from "../broker/reach.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import type { ProcessLock } from "../core/process-lock.js";
import {
  findStoredPeer,
  type KeyPair,
  lockStoredPeer,
  type StoredPeer,
  saveStoredPeer,
  toOwnPeer,
  toStoredPeer,
  toStoredPeerId,
} from "../home/stored-peers.js";
import { toShellWord } from "../text/shell.js";
import { type KeyContext, toKeyCard } from "./key-card.js";
import { listOwnTeams, listResumablePeers, type RequestedPeer } from "./requested-peer.js";

/** The peer to join as. Fields that are left out keep their values at the broker. */
export interface JoiningPeer {
  readonly caller: OperationCaller;
  readonly home: string;
  readonly meshId: string;
  /** The id of the client's conversation. If it is unknown (null), the stored id is kept. */
  readonly claudeSessionId: string | null;
  readonly role?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly wake?: WakePreference | undefined;
  readonly capabilities?: InputOf<"join_session">["capabilities"];
  readonly cwd?: string | undefined;
  readonly machine?: string | undefined;
  readonly folder?: string | undefined;
  readonly sessionKey?: KeyPair | undefined;
}

export type JoinAsPeerOptions = JoiningPeer & RequestedPeer;

/** A stored peer that has joined a session and is locked, so that only this process acts as the peer. */
export interface LockedPeer {
  readonly storedPeer: StoredPeer;
  /** The lock on the peer, to be released when the process stops acting as the peer. */
  readonly lock: ProcessLock;
  /** Whether the peer was already stored on this machine. */
  readonly isResumed: boolean;
  readonly joined: OutputOf<"join_session">;
}

/**
 * Joins a session as a stored peer that no live process uses. If there is none, adds a peer to a stored team,
 * or creates and stores a new team (LAUNCH-4).
 *
 * @throws CliError `conflict` with a free name if the requested name is taken
 */
export async function joinAsPeer(request: JoinAsPeerOptions): Promise<LockedPeer> {
  for (const stored of await listResumablePeers(request)) {
    const peer = await rejoinStoredPeer(request, toStoredPeerId(stored));
    if (peer) return peer;
  }
  for (const team of await listOwnTeams(request)) {
    const added = await addToTeam(request, team);
    if (added) return added;
  }
  const name = request.peerName ?? request.defaultPeerName;
  const joined = await joinAs(request, name, (peer_name) => ({ team_name: request.teamName, ...peer_name }));
  // Store the team's credential, which is needed to add further peers later.
  if (joined.peer_id !== null) await saveStoredPeer(request.home, toOwnPeer(joined, request));
  return lockNewPeer(request, joined);
}

/**
 * Joins as exactly this stored peer. Returns undefined if a live process uses the peer or the broker refuses
 * it.
 */
export async function rejoinStoredPeer(
  joining: JoiningPeer,
  storedPeerId: string,
): Promise<LockedPeer | undefined> {
  const lock = await lockStoredPeer(joining.home, storedPeerId);
  if (!lock) return undefined;
  let isResumed = false;
  try {
    // Read the peer only while holding its lock, because the previous process may have changed or removed the
    // credential.
    const stored = await findStoredPeer(joining.home, storedPeerId);
    const joined = stored && (await rejoin(joining, stored));
    if (!joined) return undefined;
    const storedPeer = toStoredPeer(joined, joining, stored);
    // Saving also updates the time of the last use, by which stored peers are sorted.
    await saveStoredPeer(joining.home, storedPeer);
    isResumed = true;
    return { storedPeer, lock: lock, isResumed, joined };
  } finally {
    if (!isResumed) await lock.release();
  }
}

async function rejoin(
  joining: JoiningPeer,
  stored: StoredPeer,
): Promise<OutputOf<"join_session"> | undefined> {
  const fields = await toJoinFields({ ...joining, sessionKey: stored.session_key ?? joining.sessionKey });
  return ignoreRefusal(() =>
    joining.caller.call("join_session", {
      session_id: stored.session_id,
      team_name: stored.team_name,
      team_id: stored.credential,
      ...fields,
    }),
  );
}

/** The default name for a peer that is added because the team's unnamed peer is in use. */
const furtherPeerName = "agent";

async function addToTeam(request: JoinAsPeerOptions, team: StoredPeer): Promise<LockedPeer | undefined> {
  const name = request.peerName ?? request.defaultPeerName ?? furtherPeerName;
  const joined = await ignoreRefusal(() =>
    joinAs(request, name, (peer_name) => ({
      team_name: team.team_name,
      team_id: team.credential,
      ...peer_name,
    })),
  );
  return joined && lockNewPeer(request, joined);
}

/**
 * Returns undefined if the broker does not recognise the stored credential. The file with the credential is
 * kept, because the broker may be wrong.
 */
async function ignoreRefusal<T>(join: () => Promise<T>): Promise<T | undefined> {
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
  request: JoinAsPeerOptions,
  name: string | null,
  as: (peerName: {
    peer_name?: string;
  }) => Pick<InputOf<"join_session">, "team_name" | "team_id" | "peer_name">,
): Promise<OutputOf<"join_session">> {
  const fields = await toJoinFields(request);
  let peerName = name;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request.caller.call("join_session", {
        session_id: request.sessionId,
        ...as(peerName === null ? {} : { peer_name: peerName }),
        ...fields,
      });
    } catch (error) {
      const free = findFreeName(error);
      if (free === undefined || peerName === null) throw error;
      if (request.peerName !== undefined) throw nameTaken(peerName, free, error);
      if (attempt === attemptsMax) throw error;
      peerName = free;
    }
  }
}

function findFreeName(error: unknown): string | undefined {
  if (!(error instanceof MerkleError) || error.code !== "conflict") return undefined;
  const free: unknown = error.details["free_name"];
  return typeof free === "string" ? free : undefined;
}

function nameTaken(name: string, free: string, cause: unknown): CliError {
  return new CliError(
    "conflict",
    `The name ${JSON.stringify(name)} is taken in this session. ${JSON.stringify(free)} is free.`,
    {
      exitCode: exitCodes.conflict,
      next: [`--name ${toShellWord(free)}`],
      details: { free_name: free },
      cause,
    },
  );
}

async function toJoinFields(joining: JoiningPeer) {
  const { role, groups, wake, capabilities, cwd, machine, sessionKey, ...where } = joining;
  return {
    ...(role !== undefined && { role }),
    ...(groups !== undefined && { groups: [...groups] }),
    ...(wake !== undefined && { wake }),
    ...(capabilities !== undefined && { capabilities }),
    ...(cwd !== undefined && { cwd }),
    ...(machine !== undefined && { machine }),
    ...(sessionKey !== undefined && (await toPublicKeyFields(sessionKey, where))),
  };
}

/** Returns the public parts of a peer's key: the public key and the card for encrypting private messages. */
export async function toPublicKeyFields(
  key: KeyPair,
  where: KeyContext,
): Promise<Pick<InputOf<"join_session">, "session_key" | "key_card">> {
  return { session_key: key.public, key_card: await toKeyCard(key, where) };
}

async function lockNewPeer(joining: JoiningPeer, joined: OutputOf<"join_session">): Promise<LockedPeer> {
  const storedPeer = toStoredPeer(joined, joining);
  // Lock the peer before saving it, so that no other process finds it unused.
  const lock = await lockStoredPeer(joining.home, toStoredPeerId(storedPeer));
  if (!lock)
    throw new Error(`Another process is already using ${toStoredPeerId(storedPeer)}, which has just joined.`);
  try {
    await saveStoredPeer(joining.home, storedPeer);
    return { storedPeer, lock, isResumed: false, joined };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
