import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { type Database, findTeam } from "@merkle/db";
import { limits, parseTeamCredential } from "@merkle/wire";
import type { Peer } from "../roster/peer.js";
import type { Presence } from "../roster/presence.js";

/** A team that has proved itself. */
export interface TeamCaller {
  readonly teamId: string;
  readonly name: string;
  readonly kind: "agent" | "human";
  readonly leftAt: Date | null;
  readonly peer: Peer;
  /** What it proved itself with; only ever given back to the caller who sent it. */
  readonly credential: string;
}

/** Makes a new credential for a team: what its caller gets, and what is stored (AUTH-1). */
export function makeCredential(teamId: string): { credential: string; secretHash: Buffer } {
  const secret = randomBytes(32).toString("base64url");
  return { credential: `${teamId}.mk_${secret}`, secretHash: hashSecret(secret) };
}

export function hashSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

/** Checks credentials, and remembers those of busy teams for a moment. */
export interface Credentials {
  /** The team that a credential proves in a session, left ones included, or null. */
  verify(sessionId: string, credential: string): Promise<TeamCaller | null>;
  /** Forgets what is remembered of a team, because it has changed. */
  forget(teamId: string): void;
}

interface Remembered {
  readonly sessionId: string;
  readonly secretHash: Uint8Array;
  readonly caller: Omit<TeamCaller, "credential">;
  readonly expiresAt: number;
}

/** Another node may rotate or end a credential; this is how long that can go unnoticed here. */
const rememberMs = 5_000;

export function createCredentials(options: {
  database: Pick<Database, "orm">;
  presence: Presence;
  cachedMax?: number;
}): Credentials {
  const { database, presence, cachedMax = limits.cachedCredentialsMax } = options;
  const remembered = new Map<string, Remembered>();
  const looking = new Map<string, Promise<Remembered | null>>();

  async function find(sessionId: string, teamId: string): Promise<Remembered | null> {
    const known = remembered.get(teamId);
    if (known && known.expiresAt > performance.now()) {
      if (known.sessionId !== sessionId) return null;
      // The one that was used last stands last, and is dropped last.
      remembered.delete(teamId);
      remembered.set(teamId, known);
      return known;
    }
    return lookOnce(sessionId, teamId);
  }

  /** A busy team has hundreds of calls under way at the moment when its time is up: they share one look. */
  async function lookOnce(sessionId: string, teamId: string): Promise<Remembered | null> {
    const key = `${teamId} ${sessionId}`;
    const underWay = looking.get(key);
    if (underWay !== undefined) return underWay;
    const look = lookUp(sessionId, teamId);
    looking.set(key, look);
    try {
      const found = await look;
      // Told to forget meanwhile, it may have read what was true before.
      if (found && looking.get(key) === look) remember(found);
      return found;
    } finally {
      if (looking.get(key) === look) looking.delete(key);
    }
  }

  async function lookUp(sessionId: string, teamId: string): Promise<Remembered | null> {
    const row = await findTeam(database.orm, sessionId, teamId);
    if (!row) return null;
    return {
      sessionId,
      secretHash: row.secretHash,
      caller: {
        teamId,
        name: row.name,
        kind: row.kind,
        leftAt: row.leftAt,
        peer: presence.load(row),
      },
      expiresAt: performance.now() + rememberMs,
    };
  }

  function remember(found: Remembered): void {
    const { teamId } = found.caller;
    remembered.delete(teamId);
    remembered.set(teamId, found);
    if (remembered.size <= cachedMax) return;
    const [oldest] = remembered.keys();
    if (oldest !== undefined) remembered.delete(oldest);
  }

  return {
    async verify(sessionId, credential) {
      const parts = parseTeamCredential(credential);
      if (!parts) return null;
      const found = await find(sessionId, parts.teamId);
      if (!found || !timingSafeEqual(hashSecret(parts.secret), found.secretHash)) return null;
      return { ...found.caller, credential };
    },
    forget(teamId) {
      remembered.delete(teamId);
      for (const key of looking.keys()) if (key.startsWith(teamId)) looking.delete(key);
    },
  };
}
