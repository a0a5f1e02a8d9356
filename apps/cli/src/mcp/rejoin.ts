import { MerkleError, type OutputOf } from "@merkle/wire";
import {
  findStoredPeer,
  listStoredPeers,
  lockStoredPeer,
  type StoredPeer,
  toStoredPeerId,
} from "../home/stored-peers.js";
import { joinAsPeer, toPublicKeyFields } from "../sessions/join-as-peer.js";
import { createSessionKey } from "../sessions/session-key.js";
import type { BrokerLink } from "./broker-link.js";
import type { DeliveryRecord } from "./mail/delivery-record.js";
import { toNewPeerSession } from "./membership.js";
import type { McpOptions } from "./options.js";
import type { NewPeerSession, PeerSession, PeerSessions } from "./peer-sessions.js";
import type { SecretStore } from "./secret-store.js";
import type { SelfDescription } from "./self-description.js";

/** Joins the sessions that this server was started for. */
export interface Rejoin {
  /**
   * Joins the sessions. Resolves with null, or with the reason for a failure. After a failure, the next call
   * tries again.
   *
   * @throws MerkleError `unavailable` if the broker cannot be reached
   */
  enter(): Promise<MerkleError | null>;
  /** Makes the next call join again, because another process took over the peer. */
  rejoinOnNextCall(): void;
  /** Sends this server's description again for each peer, if it has changed. */
  refreshDescription(): void;
}

interface RejoinOptions {
  readonly link: BrokerLink;
  readonly teams: PeerSessions;
  readonly secretStore: SecretStore;
  readonly handedOut: DeliveryRecord;
  readonly home: string;
  readonly options: Pick<McpOptions, "join" | "as">;
  readonly claudeSessionId: string | null;
  readonly describe: () => SelfDescription;
  /** Called with the status that a resumed peer declared before this server started. */
  readonly onDeclared: (team: PeerSession, declared: StatusDeclaration) => void;
  readonly log: (text: string) => void;
}

export type StatusDeclaration = NonNullable<OutputOf<"list_peers">["peers"][number]["declared"]>;

/**
 * Creates the function that joins this server's sessions (STDIO-7, STDIO-8). It resumes the peer named by
 * `--as`, or else the free peers of an earlier server in the same Claude Code session, or else joins under
 * the requested team name.
 */
export function createRejoin(rejoinOptions: RejoinOptions): Rejoin {
  let entering: Promise<MerkleError | null> | undefined;
  let isJoining = false;
  let lastDescription = "";

  async function tryToJoin(): Promise<MerkleError | null> {
    isJoining = true;
    try {
      await joinSessions(rejoinOptions);
      return null;
    } catch (error) {
      entering = undefined;
      if (error instanceof MerkleError && error.code !== "unavailable") return error;
      throw error;
    } finally {
      isJoining = false;
      refreshDescription();
    }
  }

  function refreshDescription(): void {
    // A peer that is being joined would miss a change: it is described already, and not listed yet.
    if (isJoining) return;
    const text = JSON.stringify(rejoinOptions.describe());
    if (lastDescription === "" || text === lastDescription) return;
    lastDescription = text;
    for (const team of rejoinOptions.teams.readers()) void updateDescription(rejoinOptions, team);
  }

  return {
    enter() {
      lastDescription ||= JSON.stringify(rejoinOptions.describe());
      entering ??= tryToJoin();
      return entering;
    },
    rejoinOnNextCall() {
      entering = undefined;
    },
    refreshDescription,
  };
}

async function joinSessions(rejoin: RejoinOptions): Promise<void> {
  const meshId = await rejoin.link.getTrustedMeshId();
  const { as } = rejoin.options;
  if (as === undefined) return resumeOrJoin(rejoin, meshId);
  const own = await resumePeer(rejoin, meshId, as);
  // Select the peers under which the model itself joined other sessions. Peers with a folder were launched,
  // and only a launch resumes them.
  const isJoinedByModel = (storedPeer: StoredPeer) =>
    storedPeer.folder === null && storedPeer.session_id !== own.session_id;
  await resumeEarlierPeers(rejoin, meshId, isJoinedByModel);
}

/**
 * Resumes the stored peer with this id. The process that started this server keeps other servers from using
 * the peer.
 */
async function resumePeer(rejoin: RejoinOptions, meshId: string, storedPeerId: string): Promise<StoredPeer> {
  const storedPeer = await findStoredPeer(rejoin.home, storedPeerId);
  if (!storedPeer) throw notHere(`This machine has no stored peer ${storedPeerId}`);
  if (storedPeer.mesh_id !== meshId)
    throw notHere(`The team "${storedPeer.team_name}" belongs to a different mesh from this broker's`);
  await resumeStoredPeer(rejoin, storedPeer);
  return storedPeer;
}

function notHere(what: string): MerkleError {
  return new MerkleError("not_found", `${what}. Join a session, or ask your human to start you again.`, {
    next: "join_session",
  });
}

async function resumeOrJoin(rejoin: RejoinOptions, meshId: string): Promise<void> {
  const { join } = rejoin.options;
  const earlier = await resumeEarlierPeers(rejoin, meshId);
  if (!join || earlier.some((held) => matchesJoin(held, join))) return;
  const { link, secretStore, home, claudeSessionId, describe } = rejoin;
  const { storedPeer, lock, joined } = await joinAsPeer({
    ...describe(),
    caller: link,
    home,
    meshId,
    sessionId: join.session,
    teamName: join.team,
    defaultPeerName: null,
    claudeSessionId,
    sessionKey: createSessionKey(),
  });
  secretStore.add(storedPeer.credential);
  const release = () => lock.release();
  const { session_key: sessionKey } = storedPeer;
  await addTeam(rejoin, { ...toNewPeerSession(joined, storedPeer.team_id), sessionKey, release });
}

/**
 * Resumes the peers of an earlier server, even in sessions that have been concluded since, so that no unread
 * message is lost.
 */
async function resumeEarlierPeers(
  rejoin: RejoinOptions,
  meshId: string,
  isSelected: (storedPeer: StoredPeer) => boolean = () => true,
): Promise<StoredPeer[]> {
  const { home, claudeSessionId, teams } = rejoin;
  if (claudeSessionId === null) return [];
  const storedPeers = await listStoredPeers(home, meshId);
  const selected = storedPeers
    .filter((storedPeer) => storedPeer.claude_session_id === claudeSessionId && isSelected(storedPeer))
    .reverse();
  const resumed: StoredPeer[] = [];
  for (const storedPeer of selected) {
    if (teams.find(toStoredPeerId(storedPeer))) {
      resumed.push(storedPeer);
      continue;
    }
    const lock = await lockStoredPeer(home, toStoredPeerId(storedPeer));
    if (!lock) continue;
    const release = () => lock.release();
    try {
      await resumeStoredPeer(rejoin, storedPeer, release);
      resumed.push(storedPeer);
    } catch (error) {
      await release();
      if (!(error instanceof MerkleError) || !isGone(error)) throw error;
    }
  }
  return resumed;
}

function isGone({ code }: MerkleError): boolean {
  return code === "unauthorized" || code === "not_found";
}

async function resumeStoredPeer(
  rejoin: RejoinOptions,
  storedPeer: StoredPeer,
  release?: () => Promise<void>,
): Promise<void> {
  rejoin.secretStore.add(storedPeer.credential);
  const { cursor, documentVersion } = await resume(rejoin, storedPeer);
  await addTeam(rejoin, {
    storedPeerId: toStoredPeerId(storedPeer),
    teamId: storedPeer.team_id,
    name: storedPeer.team_name,
    peerName: storedPeer.peer_name,
    sessionId: storedPeer.session_id,
    slug: storedPeer.slug,
    credential: storedPeer.credential,
    sessionKey: storedPeer.session_key,
    cursor: cursor,
    ...(documentVersion !== undefined && { documentVersion }),
    ...(release && { release }),
  });
}

/**
 * Rejoins as a stored peer and sends this server's description. A concluded session cannot be joined, so in
 * that case only the cursor is read.
 */
async function resume(
  { link, describe, home }: RejoinOptions,
  storedPeer: StoredPeer,
): Promise<{ cursor: number; documentVersion?: number }> {
  const credentials = { session_id: storedPeer.session_id, team_id: storedPeer.credential };
  try {
    const joined = await link.call("join_session", {
      ...credentials,
      team_name: storedPeer.team_name,
      ...describe(),
      ...(storedPeer.session_key &&
        (await toPublicKeyFields(storedPeer.session_key, { home, meshId: storedPeer.mesh_id }))),
    });
    return { cursor: joined.cursor, documentVersion: joined.document_version };
  } catch (error) {
    if (!(error instanceof MerkleError) || error.code !== "session_closed") throw error;
    return link.call("ack", { ...credentials, cursor: 0 });
  }
}

async function addTeam(rejoin: RejoinOptions, newPeer: NewPeerSession): Promise<void> {
  const { link, handedOut, teams, options } = rejoin;
  const epoch = await link.getEpoch();
  const inbox = await handedOut.readInboxOptions(newPeer.storedPeerId, epoch);
  const isLaunched = options.as === newPeer.storedPeerId || options.join !== undefined;
  void readDeclaredStatus(rejoin, teams.add({ ...newPeer, epoch, inbox, isLaunched }));
}

/** Reads the status that the peer declared before this server started, such as do not disturb. */
async function readDeclaredStatus(
  { link, log, onDeclared }: RejoinOptions,
  team: PeerSession,
): Promise<void> {
  const input = { session_id: team.sessionId, team_id: team.credential };
  try {
    const { peers } = await link.call("list_peers", input);
    const isMe = (peer: OutputOf<"list_peers">["peers"][number]) =>
      peer.team_id === team.teamId && (peer.name ?? null) === team.peerName;
    const declared = peers.find(isMe)?.declared;
    team.advance({ type: "statusDeclared", status: team.state.status.declared ?? declared?.status });
    // The client now reaches this server, so a declared status that says the opposite may be outdated.
    if (declared) onDeclared(team, declared);
  } catch (error) {
    log(`could not read the declared status of ${team.address}: ${String(error)}`);
  }
}

async function updateDescription({ link, describe, log }: RejoinOptions, team: PeerSession): Promise<void> {
  const { sessionId: session_id, name: team_name, credential: team_id } = team;
  try {
    if (!team.isClosed) await link.call("join_session", { session_id, team_name, team_id, ...describe() });
  } catch (error) {
    log(`what can wake ${team.address} could not be reported: ${String(error)}`);
  }
}

/**
 * Returns whether the stored peer matches the requested session and team. The stored team name may have a
 * number, which the broker adds to a name that is taken (JOIN-4).
 */
function matchesJoin(storedPeer: StoredPeer, { session, team }: NonNullable<McpOptions["join"]>): boolean {
  const name = storedPeer.team_name.toLowerCase();
  const teamName = team.toLowerCase();
  const isNamed =
    name === teamName || (name.startsWith(teamName) && /^ \(\d+\)$/.test(name.slice(teamName.length)));
  return isNamed && (storedPeer.session_id === session.toLowerCase() || storedPeer.slug === session);
}
