import { hash, randomBytes } from "node:crypto";
import type { PersonRow } from "@merkle/db";
import type { Write } from "../core/write.js";

/** A person who has authenticated. */
export interface PersonActor {
  readonly personId: string;
  readonly name: string;
  /** The credential that the person sent. It is returned only to that caller. */
  readonly credential: string;
  /** The member that owns the person, or null if the person was created in open mode. */
  readonly memberId: string | null;
  /** Whether the person was verified as human (PERSON-10). Otherwise the person is a guest. */
  readonly verified: boolean;
  /** The person to create in the first write. Undefined if the person already exists. */
  readonly pending?: PendingPerson | undefined;
}

/** A person that does not exist yet, and is created by the person's own first write (PERSON-15). */
export interface PendingPerson {
  /** Whether a write that created the person was committed. */
  readonly isCreated: boolean;
  /**
   * Creates the person at the start of the write's transaction.
   *
   * @throws unauthorized
   */
  create(write: Write): Promise<void>;
}

/** A cache of recently used credentials. */
export interface CredentialCache {
  /**
   * Drops the cached credential of a team, peer or person in a session, because the credential has changed.
   */
  invalidate(sessionId: string, id: string): void;
  /** Drops the cached credential of a team, peer or person in every session. */
  invalidateEverywhere(id: string): void;
  /** Clears this node's cache, because another node may have changed a credential. */
  clear(): void;
}

/**
 * Creates a credential for a team, peer or person. Returns the string for its owner and the hash to store
 * (AUTH-1).
 */
export function makeCredential(id: string): { credential: string; secretHash: Buffer } {
  const secret = randomBytes(32).toString("base64url");
  return { credential: `${id}.mk_${secret}`, secretHash: hashSecret(secret) };
}

export function hashSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

/**
 * Returns whether a person is verified as human: by the member's key for a member's person, otherwise by a
 * link from the broker's terminal.
 */
export function isVerified({ memberId, verifiedAt }: Pick<PersonRow, "memberId" | "verifiedAt">): boolean {
  return memberId !== null || verifiedAt !== null;
}
