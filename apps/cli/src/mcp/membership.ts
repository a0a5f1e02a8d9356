import {
  type InputOf,
  MerkleError,
  type OperationName,
  type OutputOf,
  parseTeamCredential,
} from "@merkle/wire";
import { CliError } from "../core/cli-error.js";
import { describeError } from "../core/describe-error.js";
import type { Fields } from "../core/is-object.js";
import type { ProcessLock } from "../core/process-lock.js";
import {
  findStoredPeer,
  forgetTeam,
  holdTeam,
  type StoredPeer,
  saveTeam,
  toOwnPeer,
  toStoredPeer,
} from "../home/stored-peers.js";
import { joinAsPeer } from "../sessions/join-as-peer.js";
import { makeSessionKey } from "../sessions/session-key.js";
import type { BrokerLink } from "./broker-link.js";
import type { HandedOut } from "./mail/handed-out.js";
import type { NewTeam, PeerSession, PeerSessions } from "./peer-sessions.js";
import type { SecretStore } from "./secret-store.js";
import type { SelfDescription } from "./self-description.js";

/**
 * The operations that create, change or end a peer. Credentials in the replies are kept for the model's later
 * calls and for later servers.
 */
export interface Membership {
  /**
   * Creates a session and joins it as its first team. An agent that was launched for another session stays
   * there until that session concludes: calls that name no session do not use the new one unless the agent
   * joins it.
   */
  createSession(
    input: Fields,
    signal: AbortSignal,
  ): Promise<{ readonly output: OutputOf<"create_session">; readonly notice?: string }>;
  joinSession(input: Fields, signal: AbortSignal): Promise<OutputOf<"join_session">>;
  leaveSession(input: Fields, team: PeerSession, signal: AbortSignal): Promise<OutputOf<"leave_session">>;
  rotateCredential(
    input: Fields,
    team: PeerSession,
    signal: AbortSignal,
  ): Promise<OutputOf<"rotate_team_credential">>;
  /** Records that the peers now belong to another of the client's conversations. */
  moveTo(claudeSessionId: string): Promise<void>;
}

interface Joining {
  readonly joined: OutputOf<"join_session">;
  /** A stored peer and its lock, if `joinAsPeer` has already acquired the lock. */
  readonly taken?: { readonly held: StoredPeer; readonly hold: ProcessLock };
}

interface MembershipOptions {
  readonly link: BrokerLink;
  readonly teams: PeerSessions;
  readonly secretStore: SecretStore;
  readonly handedOut: HandedOut;
  readonly home: string;
  readonly claudeSessionId: string | null;
  readonly describe: () => SelfDescription;
  readonly log: (text: string) => void;
}

export function createMembership(options: MembershipOptions): Membership {
  const { link, teams, secretStore, handedOut, home, describe, log } = options;
  let { claudeSessionId } = options;

  function call<Name extends OperationName>(name: Name, input: Fields, signal: AbortSignal) {
    // The type is not checked here, because the broker checks whether the input is valid for the operation.
    return link.call(name, input as InputOf<Name>, { signal });
  }

  /** Starts to act as a peer. Stores the peer unless the caller has already done so. */
  async function take(
    team: NewTeam,
    { hold, behind = false }: { hold?: ProcessLock | undefined; behind?: boolean } = {},
  ): Promise<void> {
    const epoch = await link.connected();
    const isKnown = teams.find(team.placeId) !== undefined;
    const held = hold ?? (isKnown ? undefined : await holdTeam(home, team.placeId).catch(noteUnsaved));
    const { earlier, ...fresh } = await handedOut.openPlace(team.placeId, epoch);
    // An agent that asks to go back must get earlier messages again, even if it has already seen them.
    const inbox = { ...fresh, ...(earlier && !team.replay && { earlier }) };
    teams.add({ ...team, epoch, inbox, ...(held && { release: () => held.release() }) }, { behind });
    if (!hold) await save(team);
  }

  /** Stores the peer for later servers. If that fails, the peer is lost when this server ends. */
  async function save(team: Pick<NewTeam, "placeId" | "credential"> & GivenNames): Promise<void> {
    try {
      const meshId = await link.meetMesh();
      const before = await findStoredPeer(home, team.placeId);
      const held = toStoredPeer(toGiven(team), { meshId, claudeSessionId }, before);
      await saveTeam(home, { ...held, team_id: team.teamId });
    } catch (error) {
      noteUnsaved(error);
    }
  }

  /**
   * Stores the new team that was created together with a named peer. The team's credential can add further
   * peers.
   */
  async function saveOwnPlace(joined: OutputOf<"join_session">): Promise<void> {
    try {
      const meshId = await link.meetMesh();
      await saveTeam(home, toOwnPeer(joined, { meshId }));
    } catch (error) {
      noteUnsaved(error);
    }
  }

  function noteUnsaved(error: unknown): undefined {
    log(`could not save the peer's credential: ${describeError(error)}`);
  }

  /**
   * Joins without a credential. A name that was used before in this process (MCP-2) or on this machine
   * resumes the same peer. Any other name creates a new peer.
   */
  async function joinWithoutCredential(input: Fields, signal: AbortSignal): Promise<Joining> {
    const described = { ...describe(), ...input };
    const wanted = findJoinRequest(input);
    if (!wanted) return { joined: await call("join_session", described, signal) };
    const known = teams.findNamed(wanted.session, wanted.team, wanted.peer);
    if (known)
      return { joined: await call("join_session", { ...described, team_id: known.credential }, signal) };
    if (!wanted.isPlain) return { joined: await call("join_session", described, signal) };
    const meshId = await link.meetMesh(signal);
    const taken = await joinAsPeer({
      ...describe(),
      caller: { call: (name, fields) => link.call(name, fields, { signal }) },
      home,
      meshId,
      claudeSessionId,
      sessionId: wanted.session,
      teamName: wanted.team,
      peerName: wanted.peer,
      defaultPeerName: null,
      sessionKey: makeSessionKey(),
      role: wanted.role,
      groups: wanted.groups,
    }).catch((error: unknown) => {
      throw error instanceof CliError && error.code === "conflict"
        ? new MerkleError("conflict", `${error.message} Join with that peer_name.`, error.details)
        : error;
    });
    return { joined: taken.joined, taken };
  }

  return {
    async createSession(input, signal) {
      const created = await call("create_session", input, signal);
      const { creator_team_name: name } = input;
      secretStore.keepFrom(created);
      if (typeof name !== "string") return { output: created };
      const { session_id: sessionId, slug, team_id: credential, cursor: place } = created;
      const teamId = bareId(credential);
      const names = { teamId, placeId: teamId, name: name.trim(), peerName: null };
      const standing = teams.findLast();
      const stays = standing?.isLaunched === true && !standing.closed;
      await take({ ...names, sessionId, slug, credential, place }, { behind: stays });
      const joined = teams.readers().filter(({ closed }) => !closed);
      const notice =
        joined.length > 1
          ? `You are in ${joined.map((team) => team.slug).join(" and ")}: pass session_id in each call to choose one.`
          : `Calls without session_id go to ${slug}.`;
      return { output: created, notice };
    },
    async joinSession(input, signal) {
      const { joined, taken } =
        input["team_id"] === undefined
          ? await joinWithoutCredential(input, signal)
          : { joined: await call("join_session", { ...describe(), ...input }, signal), taken: undefined };
      secretStore.keepFrom(joined);
      const isNewTeam =
        !taken && joined.peer_id !== null && joined.team_id !== joined.peer_id && !joined.resumed;
      if (isNewTeam && input["team_id"] === undefined) await saveOwnPlace(joined);
      const known = teams.find(bareId(joined.peer_id ?? joined.team_id));
      const teamId = taken?.held.team_id ?? known?.teamId ?? bareId(joined.team_id);
      const sessionKey = taken?.held.session_key ?? null;
      const replay = input["replay_from"] !== undefined;
      await take({ ...toNewTeam(joined, teamId), sessionKey, replay }, { hold: taken?.hold });
      return joined;
    },
    async leaveSession(input, team, signal) {
      const left = await call("leave_session", input, signal);
      await teams.leave(team);
      // Ids are chosen by the broker, so a peer in another mesh can have the same id. The file of that peer
      // must be kept.
      const held = await findStoredPeer(home, team.placeId);
      if (held?.credential === team.credential) await forgetTeam(home, team.placeId).catch(noteUnsaved);
      return left;
    },
    async rotateCredential(input, team, signal) {
      const rotated = await call("rotate_team_credential", input, signal);
      secretStore.keepFrom(rotated);
      team.advance({ type: "credentialChanged", credential: rotated.team_id });
      teams.subscribe();
      await save(team);
      return rotated;
    },
    async moveTo(next) {
      claudeSessionId = next;
      for (const team of teams.readers()) await save(team);
    },
  };
}

interface JoinRequest {
  readonly session: string;
  readonly team: string;
  readonly peer: string | undefined;
  readonly role: string | undefined;
  readonly groups: readonly string[] | undefined;
  /** Whether the input has no other fields, so that a peer stored on this machine can be used. */
  readonly isPlain: boolean;
}

/** Returns the team and peer that the model wants to join as, or undefined if these fields are malformed. */
function findJoinRequest(input: Fields): JoinRequest | undefined {
  const { session_id: session, team_name: team, peer_name: peer, role, groups, ...more } = input;
  if (typeof session !== "string" || typeof team !== "string") return undefined;
  if (![peer, role].every((each) => each === undefined || typeof each === "string")) return undefined;
  if (groups !== undefined && !isTexts(groups)) return undefined;
  const isPlain = Object.keys(more).length === 0;
  return { session, team, peer: toText(peer), role: toText(role), groups, isPlain };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Converts the broker's reply to a new team. If the call used a peer's credential, the reply contains that
 * credential in `team_id`.
 */
export function toNewTeam(joined: OutputOf<"join_session">, teamId: string): NewTeam {
  const credential = joined.peer_id ?? joined.team_id;
  return {
    placeId: bareId(credential),
    teamId,
    name: joined.team_name,
    peerName: joined.peer_name,
    sessionId: joined.session_id,
    slug: joined.slug,
    credential,
    place: joined.cursor,
    documentVersion: joined.document_version,
  };
}

type GivenNames = Pick<NewTeam, "teamId" | "name" | "peerName" | "sessionId" | "slug">;

function toGiven({
  placeId,
  teamId,
  credential,
  ...names
}: Pick<NewTeam, "placeId" | "credential"> & GivenNames) {
  const isNamed = names.peerName !== null && placeId !== teamId;
  return {
    session_id: names.sessionId,
    slug: names.slug,
    team_id: credential,
    team_name: names.name,
    peer_id: isNamed ? credential : null,
    peer_name: names.peerName,
  };
}

function bareId(credential: string): string {
  return parseTeamCredential(credential)?.teamId ?? credential;
}
