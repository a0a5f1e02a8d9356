import { type InputOf, MerkleError, type OperationName, type OutputOf } from "@merkle/wire";
import { toBareId } from "../core/bare-id.js";
import { CliError } from "../core/cli-error.js";
import { describeError } from "../core/describe-error.js";
import type { JsonFields } from "../core/is-object.js";
import type { ProcessLock } from "../core/process-lock.js";
import {
  deleteStoredPeer,
  findStoredPeer,
  lockStoredPeer,
  type StoredPeer,
  saveStoredPeer,
  toOwnPeer,
  toStoredPeer,
} from "../home/stored-peers.js";
import { joinAsPeer } from "../sessions/join-as-peer.js";
import { createSessionKey } from "../sessions/session-key.js";
import type { BrokerLink } from "./broker-link.js";
import type { DeliveryRecord } from "./mail/delivery-record.js";
import type { NewPeerSession, PeerSession, PeerSessions } from "./peer-sessions.js";
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
    input: JsonFields,
    signal: AbortSignal,
  ): Promise<{ readonly output: OutputOf<"create_session">; readonly notice?: string }>;
  joinSession(input: JsonFields, signal: AbortSignal): Promise<OutputOf<"join_session">>;
  leaveSession(input: JsonFields, team: PeerSession, signal: AbortSignal): Promise<OutputOf<"leave_session">>;
  rotateCredential(
    input: JsonFields,
    team: PeerSession,
    signal: AbortSignal,
  ): Promise<OutputOf<"rotate_team_credential">>;
  /** Records that the peers now belong to another of the client's conversations. */
  moveTo(claudeSessionId: string): Promise<void>;
}

interface JoinOutcome {
  readonly joined: OutputOf<"join_session">;
  /** A stored peer and its lock, if `joinAsPeer` has already acquired the lock. */
  readonly lockedPeer?: { readonly storedPeer: StoredPeer; readonly lock: ProcessLock };
}

interface MembershipOptions {
  readonly link: BrokerLink;
  readonly teams: PeerSessions;
  readonly secretStore: SecretStore;
  readonly handedOut: DeliveryRecord;
  readonly home: string;
  readonly claudeSessionId: string | null;
  readonly describe: () => SelfDescription;
  readonly log: (text: string) => void;
}

export function createMembership(options: MembershipOptions): Membership {
  const { link, teams, secretStore, handedOut, home, describe, log } = options;
  let { claudeSessionId } = options;

  function call<Name extends OperationName>(name: Name, input: JsonFields, signal: AbortSignal) {
    // The type is not checked here, because the broker checks whether the input is valid for the operation.
    return link.call(name, input as InputOf<Name>, { signal });
  }

  /** Starts to act as a peer. Stores the peer unless the caller has already done so. */
  async function addPeer(
    team: NewPeerSession,
    { lock, isFirst = false }: { lock?: ProcessLock | undefined; isFirst?: boolean } = {},
  ): Promise<void> {
    const epoch = await link.getEpoch();
    const isKnown = teams.find(team.storedPeerId) !== undefined;
    const heldLock =
      lock ?? (isKnown ? undefined : await lockStoredPeer(home, team.storedPeerId).catch(logUnsaved));
    const { earlier, ...fresh } = await handedOut.readInboxOptions(team.storedPeerId, epoch);
    // An agent that asks to go back must get earlier messages again, even if it has already seen them.
    const inbox = { ...fresh, ...(earlier && !team.shouldReplay && { earlier }) };
    teams.add({ ...team, epoch, inbox, ...(heldLock && { release: () => heldLock.release() }) }, { isFirst });
    if (!lock) await save(team);
  }

  /** Stores the peer for later servers. If that fails, the peer is lost when this server ends. */
  async function save(team: Pick<NewPeerSession, "storedPeerId" | "credential"> & PeerNames): Promise<void> {
    try {
      const meshId = await link.getTrustedMeshId();
      const before = await findStoredPeer(home, team.storedPeerId);
      const storedPeer = toStoredPeer(toJoinedPeer(team), { meshId, claudeSessionId }, before);
      await saveStoredPeer(home, { ...storedPeer, team_id: team.teamId });
    } catch (error) {
      logUnsaved(error);
    }
  }

  /**
   * Stores the new team that was created together with a named peer. The team's credential can add further
   * peers.
   */
  async function saveOwnPeer(joined: OutputOf<"join_session">): Promise<void> {
    try {
      const meshId = await link.getTrustedMeshId();
      await saveStoredPeer(home, toOwnPeer(joined, { meshId }));
    } catch (error) {
      logUnsaved(error);
    }
  }

  function logUnsaved(error: unknown): undefined {
    log(`could not save the peer's credential: ${describeError(error)}`);
  }

  /**
   * Joins without a credential. A name that was used before in this process (MCP-2) or on this machine
   * resumes the same peer. Any other name creates a new peer.
   */
  async function joinWithoutCredential(input: JsonFields, signal: AbortSignal): Promise<JoinOutcome> {
    const described = { ...describe(), ...input };
    const request = findJoinRequest(input);
    if (!request) return { joined: await call("join_session", described, signal) };
    const known = teams.findNamed(request.session, request.team, request.peer);
    if (known)
      return { joined: await call("join_session", { ...described, team_id: known.credential }, signal) };
    if (!request.isPlain) return { joined: await call("join_session", described, signal) };
    const meshId = await link.getTrustedMeshId(signal);
    const lockedPeer = await joinAsPeer({
      ...describe(),
      caller: { call: (name, fields) => link.call(name, fields, { signal }) },
      home,
      meshId,
      claudeSessionId,
      sessionId: request.session,
      teamName: request.team,
      peerName: request.peer,
      defaultPeerName: null,
      sessionKey: createSessionKey(),
      role: request.role,
      groups: request.groups,
    }).catch((error: unknown) => {
      throw error instanceof CliError && error.code === "conflict"
        ? new MerkleError("conflict", `${error.message} Join with that peer_name.`, error.details)
        : error;
    });
    return { joined: lockedPeer.joined, lockedPeer };
  }

  return {
    async createSession(input, signal) {
      const created = await call("create_session", input, signal);
      const { creator_team_name: name } = input;
      secretStore.addFrom(created);
      if (typeof name !== "string") return { output: created };
      const { session_id: sessionId, slug, team_id: credential, cursor } = created;
      const teamId = toBareId(credential);
      const names = { teamId, storedPeerId: teamId, name: name.trim(), peerName: null };
      const current = teams.findLast();
      const shouldStay = current?.isLaunched === true && !current.isClosed;
      await addPeer({ ...names, sessionId, slug, credential, cursor }, { isFirst: shouldStay });
      const joined = teams.readers().filter(({ isClosed: closed }) => !closed);
      const notice =
        joined.length > 1
          ? `You are in ${joined.map((team) => team.slug).join(" and ")}: pass session_id in each call to choose one.`
          : `Calls without session_id go to ${slug}.`;
      return { output: created, notice };
    },
    async joinSession(input, signal) {
      const { joined, lockedPeer } =
        input["team_id"] === undefined
          ? await joinWithoutCredential(input, signal)
          : {
              joined: await call("join_session", { ...describe(), ...input }, signal),
              lockedPeer: undefined,
            };
      secretStore.addFrom(joined);
      const isNewTeam =
        !lockedPeer && joined.peer_id !== null && joined.team_id !== joined.peer_id && !joined.resumed;
      if (isNewTeam && input["team_id"] === undefined) await saveOwnPeer(joined);
      const known = teams.find(toBareId(joined.peer_id ?? joined.team_id));
      const teamId = lockedPeer?.storedPeer.team_id ?? known?.teamId ?? toBareId(joined.team_id);
      const sessionKey = lockedPeer?.storedPeer.session_key ?? null;
      const shouldReplay = input["replay_from"] !== undefined;
      await addPeer(
        { ...toNewPeerSession(joined, teamId), sessionKey, shouldReplay },
        { lock: lockedPeer?.lock },
      );
      return joined;
    },
    async leaveSession(input, team, signal) {
      const left = await call("leave_session", input, signal);
      await teams.leave(team);
      // Ids are chosen by the broker, so a peer in another mesh can have the same id. The file of that peer
      // must be kept.
      const storedPeer = await findStoredPeer(home, team.storedPeerId);
      if (storedPeer?.credential === team.credential)
        await deleteStoredPeer(home, team.storedPeerId).catch(logUnsaved);
      return left;
    },
    async rotateCredential(input, team, signal) {
      const rotated = await call("rotate_team_credential", input, signal);
      secretStore.addFrom(rotated);
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
function findJoinRequest(input: JsonFields): JoinRequest | undefined {
  const { session_id: session, team_name: team, peer_name: peer, role, groups, ...more } = input;
  if (typeof session !== "string" || typeof team !== "string") return undefined;
  if (![peer, role].every((each) => each === undefined || typeof each === "string")) return undefined;
  if (groups !== undefined && !isTextArray(groups)) return undefined;
  const isPlain = Object.keys(more).length === 0;
  return { session, team, peer: toText(peer), role: toText(role), groups, isPlain };
}

function isTextArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Converts the broker's reply to a new team. If the call used a peer's credential, the reply contains that
 * credential in `team_id`.
 */
export function toNewPeerSession(joined: OutputOf<"join_session">, teamId: string): NewPeerSession {
  const credential = joined.peer_id ?? joined.team_id;
  return {
    storedPeerId: toBareId(credential),
    teamId,
    name: joined.team_name,
    peerName: joined.peer_name,
    sessionId: joined.session_id,
    slug: joined.slug,
    credential,
    cursor: joined.cursor,
    documentVersion: joined.document_version,
  };
}

type PeerNames = Pick<NewPeerSession, "teamId" | "name" | "peerName" | "sessionId" | "slug">;

function toJoinedPeer({
  storedPeerId,
  teamId,
  credential,
  ...names
}: Pick<NewPeerSession, "storedPeerId" | "credential"> & PeerNames) {
  const isNamed = names.peerName !== null && storedPeerId !== teamId;
  return {
    session_id: names.sessionId,
    slug: names.slug,
    team_id: credential,
    team_name: names.name,
    peer_id: isNamed ? credential : null,
    peer_name: names.peerName,
  };
}
