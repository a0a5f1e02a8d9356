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

/** A team that has proved itself, by its own credential or by that of one of its named peers. */
export interface TeamActor {
  readonly teamId: string;
  readonly name: string;
  readonly kind: "agent" | "human" | "guest";
  /** When the team left, or the named peer that calls. */
  readonly leftAt: Date | null;
  /** The peer that calls: the one whose credential it is, or the team's unnamed one. */
  readonly peer: Peer;
  /** The credential that proved it; only ever given back to the caller who sent it. */
  readonly credential: string;
  /** The member whose team it is; null where it was made while everybody was let in. */
  readonly memberId: string | null;
}

/** The actor that a credential proves: a team, or a person with the team that it is in the session, if it has been one (PERSON-2). */
export type Caller =
  | { readonly person: null; readonly team: TeamActor }
  | { readonly person: PersonActor; readonly team: TeamActor | null };

/** Checks credentials, and remembers those in use for a moment. */
export interface Credentials extends CredentialCache {
  /**
   * Returns the actor that a credential proves in a session, also in a team that has left, or null.
   *
   * @param connection - over which it came: what was proved there once is not hashed again while it holds
   */
  verify(sessionId: string, credential: string, connection?: object): Caller | null | Promise<Caller | null>;
  /** The team of agents with this uuid, for whom its own proof is that of a token (OAUTH-6); it has no credential to give back. */
  findTeam(sessionId: string, teamId: string): Promise<Caller | null>;
  /** The same where no session is addressed: a person, who is no team there, or a team in the session that is its own. */
  verifyInMesh(credential: string): Promise<Caller | null>;
}

type Found = { person: null; team: FoundTeam } | { person: FoundPerson; team: FoundTeam | null };
type FoundTeam = Omit<TeamActor, "credential">;
type FoundPerson = Omit<PersonActor, "credential">;

interface Proof {
  readonly secretHash: Uint8Array;
  /** The owner of further secrets that prove the same; a named peer has none. */
  readonly holder: SecretHolder | null;
  /** Those, once somebody came with another secret than the first. */
  further?: readonly Uint8Array[];
}

interface Remembered extends Proof {
  readonly found: Found;
  readonly expiresAt: number;
}

/** The caller that a connection proved last, and the cached row and key that it was found by. */
interface ProvedCaller {
  readonly credential: string;
  readonly key: string;
  readonly known: Remembered;
  readonly caller: Caller;
}

/** Another node may rotate or end a credential; this is how long that can go unnoticed here. */
const rememberMs = 5_000;
/** Where no other node is, each change is forgotten as it is made. */
const rememberAloneMs = 5 * 60_000;

export function createCredentials(options: {
  database: Pick<Database, "orm" | "meshId">;
  presence: Presence;
  bus: Pick<Bus, "kind" | "publish" | "on">;
  cachedMax?: number;
}): Credentials {
  const { database, presence, bus, cachedMax = limits.cachedCredentialsMax } = options;
  // Both by the credential's uuid and the session; the one that was used last stands last, and is dropped last.
  const remembered = new Map<string, Remembered>();
  const looking = new Map<string, Promise<Remembered | null>>();
  // A credential is compared with the one that the same connection proved before, so that the comparison tells nobody anything.
  const provedOver = new WeakMap<object, ProvedCaller>();

  async function find(sessionId: string, id: string): Promise<Remembered | null> {
    const key = keyOf(sessionId, id);
    const known = remembered.get(key);
    if (!known || !isValid(known)) return lookOnce(key, () => lookUp(sessionId, id));
    remembered.delete(key);
    remembered.set(key, known);
    return known;
  }

  /** Of a peer that has been quiet for long, presence makes another object when it comes back. */
  function isValid({ expiresAt, found: { team } }: Remembered): boolean {
    return expiresAt > performance.now() && (team === null || presence.find(team.peer.peerId) === team.peer);
  }

  /** A busy team has hundreds of calls under way at the moment when its time is up: they share one look. */
  async function lookOnce(key: string, lookUp: () => Promise<Remembered | null>): Promise<Remembered | null> {
    const underWay = looking.get(key);
    if (underWay !== undefined) return underWay;
    const look = lookUp();
    looking.set(key, look);
    try {
      const found = await look;
      // Told to forget meanwhile, it may have read what was true before.
      if (found && looking.get(key) === look) remember(key, found);
      return found;
    } finally {
      if (looking.get(key) === look) looking.delete(key);
    }
  }

  async function lookUp(sessionId: string, id: string): Promise<Remembered | null> {
    const expiresAt = performance.now() + (bus.kind === "local" ? rememberAloneMs : rememberMs);
    const team = await findTeam(database.orm, sessionId, id);
    if (team?.secretHash) {
      return {
        secretHash: copy(team.secretHash),
        holder: { scopeId: sessionId, id },
        found: { person: null, team: toFoundTeam(team) },
        expiresAt,
      };
    }
    const peer = await findNamedPeer(database.orm, sessionId, id);
    if (peer?.peer.secretHash) {
      return {
        secretHash: copy(peer.peer.secretHash),
        holder: null,
        found: { person: null, team: toFoundTeam(peer) },
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
      found: { person: { personId, name, memberId, verified }, team: own && toFoundTeam(own) },
      expiresAt,
    };
  }

  function toFoundTeam(row: TeamWithPeer): FoundTeam {
    const { teamId, name, kind, memberId } = row;
    return { teamId, name, kind, memberId, leftAt: row.leftAt ?? row.peer.leftAt, peer: presence.load(row) };
  }

  function remember(key: string, found: Remembered): void {
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

  /** Whether what a connection proved is what is remembered now, and for this session. */
  function isStillTrue({ key, known }: ProvedCaller, sessionId: string): boolean {
    return key.endsWith(sessionId) && remembered.get(key) === known && isValid(known);
  }

  /** Most hold the first secret, so the others are looked for only when it is none of these, and then remembered, too. */
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

/** Bytes from the database are a slice of a larger piece of memory, all of which they would keep. */
function copy(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

function proves(secret: string, secretHash: Uint8Array): boolean {
  return timingSafeEqual(hashSecret(secret), secretHash);
}

function toCaller({ person, team }: Found, credential: string): Caller {
  if (!person) return { person: null, team: { ...team, credential } };
  return { person: { ...person, credential }, team: team && { ...team, credential } };
}
