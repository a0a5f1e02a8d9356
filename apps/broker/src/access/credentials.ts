import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
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
  return createHash("sha256").update(secret).digest();
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
}): Credentials {
  const { database, presence } = options;
  const remembered = new Map<string, Remembered>();

  async function find(sessionId: string, teamId: string): Promise<Remembered | null> {
    const known = remembered.get(teamId);
    if (known && known.expiresAt > performance.now()) return known.sessionId === sessionId ? known : null;
    const row = await findTeam(database.orm, sessionId, teamId);
    if (!row) return null;
    const found: Remembered = {
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
    remembered.delete(teamId);
    remembered.set(teamId, found);
    if (remembered.size > limits.cachedCredentialsMax) {
      const [oldest] = remembered.keys();
      if (oldest !== undefined) remembered.delete(oldest);
    }
    return found;
  }

  return {
    async verify(sessionId, credential) {
      const parts = parseTeamCredential(credential);
      if (!parts) return null;
      const found = await find(sessionId, parts.teamId);
      if (!found || !timingSafeEqual(hashSecret(parts.secret), found.secretHash)) return null;
      return { ...found.caller, credential };
    },
    forget: (teamId) => remembered.delete(teamId),
  };
}
