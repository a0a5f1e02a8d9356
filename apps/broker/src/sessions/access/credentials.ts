import { timingSafeEqual } from "node:crypto";
import {
  type Database,
  findNamedPeer,
  findPerson,
  findSessionOfPeer,
  findSessionOfTeam,
  findTeam,
  findTeamOfPerson,
  listFurtherSecrets,
  type SecretHolder,
  type TeamWithPeer,
} from "@merkle/db";
import { parseTeamCredential } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Bus } from "../../core/bus/bus.js";
import { type CredentialCache, hashSecret, isVerified, type PersonActor } from "../../identity/credential.js";
import type { LivePeer } from "../peers/peer.js";
import type { Presence } from "../peers/presence.js";

/**
 * A team whose caller authenticated with the team's own credential or with the credential of one of its named
 * peers.
 */
export interface TeamActor {
  readonly teamId: string;
  readonly name: string;
  readonly kind: "agent" | "human" | "guest";
  /** When the team or the calling named peer left the session. Null if it has not left. */
  readonly leftAt: Date | null;
  /** The calling peer: the named peer that owns the credential, or the team's unnamed peer. */
  readonly peer: LivePeer;
  /** The credential that the caller sent, which is returned only to that caller. */
  readonly credential: string;
  /** The member that owns the team, or null if the team was created in open mode. */
  readonly memberId: string | null;
}

/**
 * The caller that a credential identifies: a team, or a person with the team that the person has or had in
 * the session (PERSON-2).
 */
export type Caller =
  | { readonly person: null; readonly team: TeamActor }
  | { readonly person: PersonActor; readonly team: TeamActor | null };

/** Verifies credentials, and caches recently used ones. */
export interface Credentials extends CredentialCache {
  /**
   * Returns the caller that a credential identifies in a session, or null. The team may have left.
   *
   * @param connection - the call's connection; if a credential was already verified on it, the credential is
   * not hashed again while its cache entry is valid
   */
  verify(sessionId: string, credential: string, connection?: object): Caller | null | Promise<Caller | null>;
  /** Returns the agent team with this uuid. Used for OAuth clients, whose token is the proof (OAUTH-6). */
  findTeam(sessionId: string, teamId: string): Promise<Caller | null>;
  /**
   * Verifies a credential for a call that addresses no session. A person is returned without a team, and a team
   * is returned with its own session.
   */
  verifyInMesh(credential: string): Promise<Caller | null>;
}

type ProvedIdentity = { person: null; team: ProvedTeam } | { person: ProvedPerson; team: ProvedTeam | null };
type ProvedTeam = Omit<TeamActor, "credential">;
type ProvedPerson = Omit<PersonActor, "credential">;

interface CredentialProof {
  readonly secretHash: Uint8Array;
  /**
   * Owner of the additional secrets that prove the same identity. Null for named peers, which have only one
   * secret.
   */
  readonly holder: SecretHolder | null;
  /** The additional secrets, loaded when a caller first sends a secret that is not the original one. */
  further?: readonly Uint8Array[];
}

interface CachedProof extends CredentialProof {
  readonly identity: ProvedIdentity;
  readonly expiresAt: number;
}

/** The last caller verified on a connection, with the cache entry and its key. */
interface ProvedCaller {
  readonly credential: string;
  readonly key: string;
  readonly known: CachedProof;
  readonly caller: Caller;
}

/**
 * How long an entry is cached if there are other nodes: the maximum time until this node notices that another
 * node has replaced or ended a credential.
 */
const cacheMs = 5_000;
/**
 * How long an entry is cached without other nodes. Every change then updates this cache immediately, so
 * entries can live longer.
 */
const cacheAloneMs = 5 * 60_000;

export function createCredentials(options: {
  database: Pick<Database, "orm" | "meshId">;
  presence: Presence;
  bus: Pick<Bus, "kind" | "publish" | "on">;
  cachedMax?: number;
}): Credentials {
  const { database, presence, bus, cachedMax = limits.cachedCredentialsMax } = options;
  // Both maps are keyed by the credential's uuid and the session. `remembered` is ordered by last use, and
  // the least recently used entry is dropped.
  const cachedProofs = new Map<string, CachedProof>();
  const lookups = new Map<string, Promise<CachedProof | null>>();
  // A plain comparison is safe: the credential was already verified on this connection, so timing reveals
  // nothing new.
  const callersByConnection = new WeakMap<object, ProvedCaller>();

  async function find(sessionId: string, id: string): Promise<CachedProof | null> {
    const key = toCacheKey(sessionId, id);
    const known = cachedProofs.get(key);
    if (!known || !isValid(known)) return lookUpOnce(key, () => lookUp(sessionId, id));
    cachedProofs.delete(key);
    cachedProofs.set(key, known);
    return known;
  }

  /**
   * Checks that the entry has not expired and that its peer object is current. A peer that returns after a
   * long absence gets a new object.
   */
  function isValid({ expiresAt, identity: { team } }: CachedProof): boolean {
    return expiresAt > performance.now() && (team === null || presence.find(team.peer.peerId) === team.peer);
  }

  /**
   * Shares one lookup between concurrent calls. A busy team may have hundreds of calls in flight when its
   * cache entry expires.
   */
  async function lookUpOnce(
    key: string,
    lookUp: () => Promise<CachedProof | null>,
  ): Promise<CachedProof | null> {
    const pending = lookups.get(key);
    if (pending !== undefined) return pending;
    const lookup = lookUp();
    lookups.set(key, lookup);
    try {
      const proof = await lookup;
      // If the cache entry was dropped during the lookup, the lookup may have read outdated data.
      if (proof && lookups.get(key) === lookup) cacheProof(key, proof);
      return proof;
    } finally {
      if (lookups.get(key) === lookup) lookups.delete(key);
    }
  }

  async function lookUp(sessionId: string, id: string): Promise<CachedProof | null> {
    const expiresAt = performance.now() + (bus.kind === "local" ? cacheAloneMs : cacheMs);
    const team = await findTeam(database.orm, sessionId, id);
    if (team?.secretHash) {
      return {
        secretHash: copyBytes(team.secretHash),
        holder: { scopeId: sessionId, id },
        identity: { person: null, team: await toProvedTeam(team) },
        expiresAt,
      };
    }
    const peer = await findNamedPeer(database.orm, sessionId, id);
    if (peer?.peer.secretHash) {
      return {
        secretHash: copyBytes(peer.peer.secretHash),
        holder: null,
        identity: { person: null, team: await toProvedTeam(peer) },
        expiresAt,
      };
    }
    const person = await findPerson(database.orm, database.meshId, id);
    if (!person) return null;
    const { personId, name, secretHash, memberId } = person;
    const verified = isVerified(person);
    const own = await findTeamOfPerson(database.orm, sessionId, personId);
    return {
      secretHash: copyBytes(secretHash),
      holder: { scopeId: database.meshId, id },
      identity: { person: { personId, name, memberId, verified }, team: own && (await toProvedTeam(own)) },
      expiresAt,
    };
  }

  async function toProvedTeam(row: TeamWithPeer): Promise<ProvedTeam> {
    const { teamId, name, kind, memberId } = row;
    const peer = presence.load(row);
    await presence.catchUp(peer);
    return { teamId, name, kind, memberId, leftAt: row.leftAt ?? row.peer.leftAt, peer };
  }

  function cacheProof(key: string, proof: CachedProof): void {
    cachedProofs.delete(key);
    cachedProofs.set(key, proof);
    if (cachedProofs.size <= cachedMax) return;
    const [oldest] = cachedProofs.keys();
    if (oldest !== undefined) cachedProofs.delete(oldest);
  }

  function verify(sessionId: string, credential: string, connection?: object) {
    const proved = connection && callersByConnection.get(connection);
    if (proved?.credential === credential && isProofValid(proved, sessionId)) return proved.caller;
    return prove(sessionId, credential, connection);
  }

  async function prove(
    sessionId: string,
    credential: string,
    connection: object | undefined,
  ): Promise<Caller | null> {
    const parts = parseTeamCredential(credential);
    const known = parts && (await find(sessionId, parts.teamId));
    if (!known || !(await isProved(known, parts.secret))) return null;
    const caller = toCaller(known.identity, credential);
    if (connection)
      callersByConnection.set(connection, {
        credential,
        key: toCacheKey(sessionId, parts.teamId),
        known,
        caller,
      });
    return caller;
  }

  /** Returns whether the caller last verified on a connection is still valid and belongs to this session. */
  function isProofValid({ key, known }: ProvedCaller, sessionId: string): boolean {
    return key.endsWith(sessionId) && cachedProofs.get(key) === known && isValid(known);
  }

  /**
   * Checks a secret. Most callers use the original secret. The additional secrets are loaded only if the
   * original does not match, and then cached.
   */
  async function isProved(known: CredentialProof, secret: string): Promise<boolean> {
    if (proves(secret, known.secretHash)) return true;
    if (known.holder === null) return false;
    known.further ??= (await listFurtherSecrets(database.orm, known.holder)).map(copyBytes);
    return known.further.some((secretHash) => proves(secret, secretHash));
  }

  function drop(sessionId: string, id: string): void {
    cachedProofs.delete(toCacheKey(sessionId, id));
    lookups.delete(toCacheKey(sessionId, id));
  }

  function dropEverywhere(id: string): void {
    for (const map of [cachedProofs, lookups]) {
      for (const key of map.keys()) if (key.startsWith(toCacheKey("", id))) map.delete(key);
    }
  }

  bus.on("credential", ({ session, id }) => (session === null ? dropEverywhere(id) : drop(session, id)));

  return {
    verify,
    async findTeam(sessionId, teamId) {
      const known = await find(sessionId, teamId);
      return known && !known.identity.person ? toCaller(known.identity, teamId) : null;
    },
    async verifyInMesh(credential) {
      const parts = parseTeamCredential(credential);
      if (!parts) return null;
      const sessionId =
        (await findSessionOfTeam(database.orm, database.meshId, parts.teamId)) ??
        (await findSessionOfPeer(database.orm, database.meshId, parts.teamId));
      if (sessionId !== null) return verify(sessionId, credential);
      const row = await findPerson(database.orm, database.meshId, parts.teamId);
      if (!row) return null;
      const { personId, name, memberId, secretHash } = row;
      const holder = { scopeId: database.meshId, id: personId };
      if (!(await isProved({ secretHash, holder }, parts.secret))) return null;
      return { person: { personId, name, credential, memberId, verified: isVerified(row) }, team: null };
    },
    invalidate(sessionId, id) {
      drop(sessionId, id);
      bus.publish("credential", { session: sessionId, id });
    },
    clear() {
      cachedProofs.clear();
      lookups.clear();
    },
    invalidateEverywhere(id) {
      dropEverywhere(id);
      bus.publish("credential", { session: null, id });
    },
  };
}

function toCacheKey(sessionId: string, id: string): string {
  return `${id} ${sessionId}`;
}

/**
 * Copies bytes that come from the database, because a slice returned by the driver keeps its larger buffer in
 * memory.
 */
function copyBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

function proves(secret: string, secretHash: Uint8Array): boolean {
  return timingSafeEqual(hashSecret(secret), secretHash);
}

function toCaller({ person, team }: ProvedIdentity, credential: string): Caller {
  if (!person) return { person: null, team: { ...team, credential } };
  return { person: { ...person, credential }, team: team && { ...team, credential } };
}
