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
import type { Peer } from "../peers/peer.js";
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
  readonly peer: Peer;
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

type Principals = { person: null; team: FoundTeam } | { person: FoundPerson; team: FoundTeam | null };
type FoundTeam = Omit<TeamActor, "credential">;
type FoundPerson = Omit<PersonActor, "credential">;

interface Proof {
  readonly secretHash: Uint8Array;
  /**
   * Owner of the additional secrets that prove the same identity. Null for named peers, which have only one
   * secret.
   */
  readonly holder: SecretHolder | null;
  /** The additional secrets, loaded when a caller first sends a secret that is not the original one. */
  further?: readonly Uint8Array[];
}

interface CachedProof extends Proof {
  readonly found: Principals;
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
const rememberMs = 5_000;
/**
 * How long an entry is cached without other nodes. Every change then updates this cache immediately, so
 * entries can live longer.
 */
const rememberAloneMs = 5 * 60_000;

export function createCredentials(options: {
  database: Pick<Database, "orm" | "meshId">;
  presence: Presence;
  bus: Pick<Bus, "kind" | "publish" | "on">;
  cachedMax?: number;
}): Credentials {
  const { database, presence, bus, cachedMax = limits.cachedCredentialsMax } = options;
  // Both maps are keyed by the credential's uuid and the session. `remembered` is ordered by last use, and
  // the least recently used entry is dropped.
  const remembered = new Map<string, CachedProof>();
  const looking = new Map<string, Promise<CachedProof | null>>();
  // A plain comparison is safe: the credential was already verified on this connection, so timing reveals
  // nothing new.
  const provedOver = new WeakMap<object, ProvedCaller>();

  async function find(sessionId: string, id: string): Promise<CachedProof | null> {
    const key = keyOf(sessionId, id);
    const known = remembered.get(key);
    if (!known || !isValid(known)) return lookOnce(key, () => lookUp(sessionId, id));
    remembered.delete(key);
    remembered.set(key, known);
    return known;
  }

  /**
   * Checks that the entry has not expired and that its peer object is current. A peer that returns after a
   * long absence gets a new object.
   */
  function isValid({ expiresAt, found: { team } }: CachedProof): boolean {
    return expiresAt > performance.now() && (team === null || presence.find(team.peer.peerId) === team.peer);
  }

  /**
   * Shares one lookup between concurrent calls. A busy team may have hundreds of calls in flight when its
   * cache entry expires.
   */
  async function lookOnce(
    key: string,
    lookUp: () => Promise<CachedProof | null>,
  ): Promise<CachedProof | null> {
    const underWay = looking.get(key);
    if (underWay !== undefined) return underWay;
    const look = lookUp();
    looking.set(key, look);
    try {
      const found = await look;
      // If the cache entry was dropped during the lookup, the lookup may have read outdated data.
      if (found && looking.get(key) === look) remember(key, found);
      return found;
    } finally {
      if (looking.get(key) === look) looking.delete(key);
    }
  }

  async function lookUp(sessionId: string, id: string): Promise<CachedProof | null> {
    const expiresAt = performance.now() + (bus.kind === "local" ? rememberAloneMs : rememberMs);
    const team = await findTeam(database.orm, sessionId, id);
    if (team?.secretHash) {
      return {
        secretHash: copy(team.secretHash),
        holder: { scopeId: sessionId, id },
        found: { person: null, team: await toFoundTeam(team) },
        expiresAt,
      };
    }
    const peer = await findNamedPeer(database.orm, sessionId, id);
    if (peer?.peer.secretHash) {
      return {
        secretHash: copy(peer.peer.secretHash),
        holder: null,
        found: { person: null, team: await toFoundTeam(peer) },
        expiresAt,
      };
    }
    const person = await findPerson(database.orm, database.meshId, id);
    if (!person) return null;
    const { personId, name, secretHash, memberId } = person;
    const verified = isVerified(person);
    const own = await findTeamOfPerson(database.orm, sessionId, personId);
    return {
      secretHash: copy(secretHash),
      holder: { scopeId: database.meshId, id },
      found: { person: { personId, name, memberId, verified }, team: own && (await toFoundTeam(own)) },
      expiresAt,
    };
  }

  async function toFoundTeam(row: TeamWithPeer): Promise<FoundTeam> {
    const { teamId, name, kind, memberId } = row;
    const peer = presence.load(row);
    await presence.catchUp(peer);
    return { teamId, name, kind, memberId, leftAt: row.leftAt ?? row.peer.leftAt, peer };
  }

  function remember(key: string, found: CachedProof): void {
    remembered.delete(key);
    remembered.set(key, found);
    if (remembered.size <= cachedMax) return;
    const [oldest] = remembered.keys();
    if (oldest !== undefined) remembered.delete(oldest);
  }

  function verify(sessionId: string, credential: string, connection?: object) {
    const proved = connection && provedOver.get(connection);
    if (proved?.credential === credential && isStillTrue(proved, sessionId)) return proved.caller;
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
    const caller = toCaller(known.found, credential);
    if (connection)
      provedOver.set(connection, { credential, key: keyOf(sessionId, parts.teamId), known, caller });
    return caller;
  }

  /** Returns whether the caller last verified on a connection is still valid and belongs to this session. */
  function isStillTrue({ key, known }: ProvedCaller, sessionId: string): boolean {
    return key.endsWith(sessionId) && remembered.get(key) === known && isValid(known);
  }

  /**
   * Checks a secret. Most callers use the original secret. The additional secrets are loaded only if the
   * original does not match, and then cached.
   */
  async function isProved(known: Proof, secret: string): Promise<boolean> {
    if (proves(secret, known.secretHash)) return true;
    if (known.holder === null) return false;
    known.further ??= (await listFurtherSecrets(database.orm, known.holder)).map(copy);
    return known.further.some((secretHash) => proves(secret, secretHash));
  }

  function drop(sessionId: string, id: string): void {
    remembered.delete(keyOf(sessionId, id));
    looking.delete(keyOf(sessionId, id));
  }

  function dropEverywhere(id: string): void {
    for (const map of [remembered, looking]) {
      for (const key of map.keys()) if (key.startsWith(keyOf("", id))) map.delete(key);
    }
  }

  bus.on("credential", ({ session, id }) => (session === null ? dropEverywhere(id) : drop(session, id)));

  return {
    verify,
    async findTeam(sessionId, teamId) {
      const known = await find(sessionId, teamId);
      return known && !known.found.person ? toCaller(known.found, teamId) : null;
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
    forget(sessionId, id) {
      drop(sessionId, id);
      bus.publish("credential", { session: sessionId, id });
    },
    forgetAll() {
      remembered.clear();
      looking.clear();
    },
    forgetEverywhere(id) {
      dropEverywhere(id);
      bus.publish("credential", { session: null, id });
    },
  };
}

function keyOf(sessionId: string, id: string): string {
  return `${id} ${sessionId}`;
}

/**
 * Copies bytes that come from the database, because a slice returned by the driver keeps its larger buffer in
 * memory.
 */
function copy(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

function proves(secret: string, secretHash: Uint8Array): boolean {
  return timingSafeEqual(hashSecret(secret), secretHash);
}

function toCaller({ person, team }: Principals, credential: string): Caller {
  if (!person) return { person: null, team: { ...team, credential } };
  return { person: { ...person, credential }, team: team && { ...team, credential } };
}
