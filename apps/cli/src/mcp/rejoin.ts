import { MerkleError, type OutputOf } from "@merkle/wire";
import {
  findStoredPeer,
  holdTeam,
  listStoredPeers,
  type StoredPeer,
  storedPeerId,
} from "../home/stored-peers.js";
import { joinAsPeer, toPublicKeyFields } from "../sessions/join-as-peer.js";
import { makeSessionKey } from "../sessions/session-key.js";
import type { BrokerLink } from "./broker-link.js";
import type { HandedOut } from "./mail/handed-out.js";
import { toNewTeam } from "./membership.js";
import type { McpOptions } from "./options.js";
import type { NewTeam, PeerSession, PeerSessions } from "./peer-sessions.js";
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
  leaveBehind(): void;
  /** Sends this server's description again for each peer, if it has changed. */
  describeAgain(): void;
}

interface RejoinOptions {
  readonly link: BrokerLink;
  readonly teams: PeerSessions;
  readonly secretStore: SecretStore;
  readonly handedOut: HandedOut;
  readonly home: string;
  readonly options: Pick<McpOptions, "join" | "as">;
  readonly claudeSessionId: string | null;
  readonly describe: () => SelfDescription;
  /** Called with the status that a resumed peer declared before this server started. */
  readonly onDeclared: (team: PeerSession, declared: Declared) => void;
  readonly log: (text: string) => void;
}

export type Declared = NonNullable<OutputOf<"list_peers">["peers"][number]["declared"]>;

/**
 * Creates the function that joins this server's sessions (STDIO-7, STDIO-8). It resumes the peer named by
 * `--as`, or else the free peers of an earlier server in the same Claude Code session, or else joins under
 * the requested team name.
 */
export function createRejoin(entranceOptions: RejoinOptions): Rejoin {
  let entering: Promise<MerkleError | null> | undefined;
  let described = "";

  async function tryToEnter(): Promise<MerkleError | null> {
    try {
      await joinSessions(entranceOptions);
      return null;
    } catch (error) {
      entering = undefined;
      if (error instanceof MerkleError && error.code !== "unavailable") return error;
      throw error;
    }
  }

  return {
    enter() {
      described ||= JSON.stringify(entranceOptions.describe());
      entering ??= tryToEnter();
      return entering;
    },
    leaveBehind() {
      entering = undefined;
    },
    describeAgain() {
      const text = JSON.stringify(entranceOptions.describe());
      if (described === "" || text === described) return;
      described = text;
      for (const team of entranceOptions.teams.readers()) void resumeQuietly(entranceOptions, team);
    },
  };
}

async function joinSessions(rejoin: RejoinOptions): Promise<void> {
  const meshId = await rejoin.link.meetMesh();
  const { as } = rejoin.options;
  if (as === undefined) return resumeOrJoin(rejoin, meshId);
  const own = await resumePeer(rejoin, meshId, as);
  // Select the peers under which the model itself joined other sessions. Peers with a folder were launched,
  // and only a launch resumes them.
  const isBesides = (place: StoredPeer) => place.folder === null && place.session_id !== own.session_id;
  await resumeEarlierPeers(rejoin, meshId, isBesides);
}

/**
 * Resumes the stored peer with this id. The process that started this server keeps other servers from using
 * the peer.
 */
async function resumePeer(rejoin: RejoinOptions, meshId: string, placeId: string): Promise<StoredPeer> {
  const held = await findStoredPeer(rejoin.home, placeId);
  if (!held) throw notHere(`This machine has no stored peer ${placeId}`);
  if (held.mesh_id !== meshId)
    throw notHere(`The team "${held.team_name}" belongs to a different mesh from this broker's`);
  await takeUp(rejoin, held);
  return held;
}

function notHere(what: string): MerkleError {
  return new MerkleError("not_found", `${what}. Join a session, or ask your human to start you again.`, {
    next: "join_session",
  });
}

async function resumeOrJoin(rejoin: RejoinOptions, meshId: string): Promise<void> {
  const { join } = rejoin.options;
  const earlier = await resumeEarlierPeers(rejoin, meshId);
  if (!join || earlier.some((held) => isWanted(held, join))) return;
  const { link, secretStore, home, claudeSessionId, describe } = rejoin;
  const { held, hold, joined } = await joinAsPeer({
    ...describe(),
    caller: link,
    home,
    meshId,
    sessionId: join.session,
    teamName: join.team,
    defaultPeerName: null,
    claudeSessionId,
    sessionKey: makeSessionKey(),
  });
  secretStore.keep(held.credential);
  const release = () => hold.release();
  const { session_key: sessionKey } = held;
  await addTeam(rejoin, { ...toNewTeam(joined, held.team_id), sessionKey, release });
}

/**
 * Resumes the peers of an earlier server, even in sessions that have been concluded since, so that no unread
 * message is lost.
 */
async function resumeEarlierPeers(
  rejoin: RejoinOptions,
  meshId: string,
  isMine: (place: StoredPeer) => boolean = () => true,
): Promise<StoredPeer[]> {
  const { home, claudeSessionId, teams } = rejoin;
  if (claudeSessionId === null) return [];
  const held = await listStoredPeers(home, meshId);
  const mine = held.filter((place) => place.claude_session_id === claudeSessionId && isMine(place)).reverse();
  const taken: StoredPeer[] = [];
  for (const place of mine) {
    if (teams.find(storedPeerId(place))) {
      taken.push(place);
      continue;
    }
    const hold = await holdTeam(home, storedPeerId(place));
    if (!hold) continue;
    const release = () => hold.release();
    try {
      await takeUp(rejoin, place, release);
      taken.push(place);
    } catch (error) {
      await release();
      if (!(error instanceof MerkleError) || !isGone(error)) throw error;
    }
  }
  return taken;
}

function isGone({ code }: MerkleError): boolean {
  return code === "unauthorized" || code === "not_found";
}

async function takeUp(rejoin: RejoinOptions, held: StoredPeer, release?: () => Promise<void>): Promise<void> {
  rejoin.secretStore.keep(held.credential);
  const { cursor, documentVersion } = await resume(rejoin, held);
  await addTeam(rejoin, {
    placeId: storedPeerId(held),
    teamId: held.team_id,
    name: held.team_name,
    peerName: held.peer_name,
    sessionId: held.session_id,
    slug: held.slug,
    credential: held.credential,
    sessionKey: held.session_key,
    place: cursor,
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
  held: StoredPeer,
): Promise<{ cursor: number; documentVersion?: number }> {
  const place = { session_id: held.session_id, team_id: held.credential };
  try {
    const joined = await link.call("join_session", {
      ...place,
      team_name: held.team_name,
      ...describe(),
      ...(held.session_key && (await toPublicKeyFields(held.session_key, { home, meshId: held.mesh_id }))),
    });
    return { cursor: joined.cursor, documentVersion: joined.document_version };
  } catch (error) {
    if (!(error instanceof MerkleError) || error.code !== "session_closed") throw error;
    return link.call("ack", { ...place, cursor: 0 });
  }
}

async function addTeam(rejoin: RejoinOptions, given: NewTeam): Promise<void> {
  const { link, handedOut, teams, options } = rejoin;
  const epoch = await link.connected();
  const inbox = await handedOut.openPlace(given.placeId, epoch);
  const isLaunched = options.as === given.placeId || options.join !== undefined;
  void learnDeclared(rejoin, teams.add({ ...given, epoch, inbox, isLaunched }));
}

/** Reads the status that the peer declared before this server started, such as do not disturb. */
async function learnDeclared({ link, log, onDeclared }: RejoinOptions, team: PeerSession): Promise<void> {
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

async function resumeQuietly({ link, describe, log }: RejoinOptions, team: PeerSession): Promise<void> {
  const { sessionId: session_id, name: team_name, credential: team_id } = team;
  try {
    if (!team.closed) await link.call("join_session", { session_id, team_name, team_id, ...describe() });
  } catch (error) {
    log(`what can wake ${team.address} could not be reported: ${String(error)}`);
  }
}

/**
 * Returns whether the stored peer matches the requested session and team. The stored team name may have a
 * number, which the broker adds to a name that is taken (JOIN-4).
 */
function isWanted(held: StoredPeer, { session, team }: NonNullable<McpOptions["join"]>): boolean {
  const name = held.team_name.toLowerCase();
  const wanted = team.toLowerCase();
  const isNamed =
    name === wanted || (name.startsWith(wanted) && /^ \(\d+\)$/.test(name.slice(wanted.length)));
  return isNamed && (held.session_id === session.toLowerCase() || held.slug === session);
}
