import { MerkleError, type OutputOf } from "@merkle/wire";
import {
  findStoredPeer,
  holdTeam,
  listStoredPeers,
  type StoredPeer,
  storedPeerId,
} from "../home/stored-peers.js";
import { joinAsPeer, toldOfKey } from "../sessions/join-as-peer.js";
import { makeSessionKey } from "../sessions/session-key.js";
import type { BrokerLink } from "./broker-link.js";
import type { HandedOut } from "./mail/handed-out.js";
import { toNewTeam } from "./membership.js";
import type { McpOptions } from "./options.js";
import type { NewTeam, PeerSession, PeerSessions } from "./peer-sessions.js";
import type { SecretStore } from "./secret-store.js";
import type { SelfDescription } from "./self-description.js";

/** How this server gets into the sessions that it was started for. */
export interface Rejoin {
  /**
   * Resolves when it is in, or with the reason why it cannot be: then the next call tries again.
   *
   * @throws MerkleError `unavailable` when there is no broker to ask
   */
  enter(): Promise<MerkleError | null>;
  /** Joins again at the next call, because another process took over the peer. */
  leaveBehind(): void;
  /** Says anew of each place what this server says of itself, where that has changed. */
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
  /** Told what a place that was taken up has declared before. */
  readonly onDeclared: (team: PeerSession, declared: Declared) => void;
  readonly log: (text: string) => void;
}

export type Declared = NonNullable<OutputOf<"list_peers">["peers"][number]["declared"]>;

/**
 * Enters the place that was named (`--as`), those in which an earlier server of the same Claude Code session acted and
 * which are still free, or one of the team and session that were asked for (STDIO-7, STDIO-8).
 */
export function createRejoin(entranceOptions: RejoinOptions): Rejoin {
  let entering: Promise<MerkleError | null> | undefined;
  let described = "";

  async function tryToEnter(): Promise<MerkleError | null> {
    try {
      await goIn(entranceOptions);
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

async function goIn(rejoin: RejoinOptions): Promise<void> {
  const meshId = await rejoin.link.meetMesh();
  const { as } = rejoin.options;
  if (as === undefined) return goOnOrJoin(rejoin, meshId);
  const own = await goOnAs(rejoin, meshId, as);
  // Where the model has joined itself: what was launched has a folder, and goes on by a launch.
  const isBesides = (place: StoredPeer) => place.folder === null && place.session_id !== own.session_id;
  await goOnFromBefore(rejoin, meshId, isBesides);
}

/** In exactly this place; whoever started this server keeps others from it. */
async function goOnAs(rejoin: RejoinOptions, meshId: string, placeId: string): Promise<StoredPeer> {
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

async function goOnOrJoin(rejoin: RejoinOptions, meshId: string): Promise<void> {
  const { join } = rejoin.options;
  const earlier = await goOnFromBefore(rejoin, meshId);
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

/** Also in a session that was concluded meanwhile; and nothing unread is lost. */
async function goOnFromBefore(
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

/** Takes the place again, and says who does. Of a concluded session only the cursor is asked: nobody joins it any more. */
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
      ...(held.session_key && (await toldOfKey(held.session_key, { home, meshId: held.mesh_id }))),
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

/** Whether it is not to be disturbed, a server before this one knew. */
async function learnDeclared({ link, log, onDeclared }: RejoinOptions, team: PeerSession): Promise<void> {
  const input = { session_id: team.sessionId, team_id: team.credential };
  try {
    const { peers } = await link.call("list_peers", input);
    const isMe = (peer: OutputOf<"list_peers">["peers"][number]) =>
      peer.team_id === team.teamId && (peer.name ?? null) === team.peerName;
    const declared = peers.find(isMe)?.declared;
    team.declared ??= declared?.status;
    // Here it is again.
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

/** A name that was taken has got a number (JOIN-4). */
function isWanted(held: StoredPeer, { session, team }: NonNullable<McpOptions["join"]>): boolean {
  const name = held.team_name.toLowerCase();
  const wanted = team.toLowerCase();
  const isNamed =
    name === wanted || (name.startsWith(wanted) && /^ \(\d+\)$/.test(name.slice(wanted.length)));
  return isNamed && (held.session_id === session.toLowerCase() || held.slug === session);
}
