import { hash, randomBytes } from "node:crypto";
import type { PersonRow } from "@merkle/db";
import type { Write } from "../core/write.js";

/** A person who has authenticated. */
export interface PersonActor {
  readonly personId: string;
  readonly name: string;
  /** The credential that the person sent. It is only returned to that caller. */
  readonly credential: string;
  /** The member that owns the person, or null if the person was created in open mode. */
  readonly memberId: string | null;
  /** Whether the person was verified as human (PERSON-10). Otherwise the person is a guest. */
  readonly verified: boolean;
  /** The person to create in the first write. Undefined for a person that already exists. */
  readonly drawn?: DrawnPerson | undefined;
}

/** A person that does not exist yet and is created by its own first write (PERSON-15). */
export interface DrawnPerson {
  /** Whether a write that created the person was committed. */
  readonly made: boolean;
  /**
   * Creates the person in the transaction of the write, before anything else.
   *
   * @throws unauthorized
   */
  make(write: Write): Promise<void>;
}

/** A cache of the credentials that were used recently. */
export interface CredentialCache {
  /** Drops the cached credential of a team, peer or person in a session, because it has changed. */
  forget(sessionId: string, id: string): void;
  /** Drops the cached credential in every session. */
  forgetEverywhere(id: string): void;
  /** Clears the cache of this node, because another node may have changed a credential. */
  forgetAll(): void;
}

/** Creates a credential for a team, peer or person: the text for its owner, and the hash that is stored (AUTH-1). */
export function makeCredential(id: string): { credential: string; secretHash: Buffer } {
  const secret = randomBytes(32).toString("base64url");
  return { credential: `${id}.mk_${secret}`, secretHash: hashSecret(secret) };
}

export function hashSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

/**
 * Returns whether a person is verified. A member's person is verified by the member's key, any other by a link from the
 * broker's terminal.
 */
export function isVerified({ memberId, verifiedAt }: Pick<PersonRow, "memberId" | "verifiedAt">): boolean {
  return memberId !== null || verifiedAt !== null;
}
