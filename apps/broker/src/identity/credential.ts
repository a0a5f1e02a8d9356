import { hash, randomBytes } from "node:crypto";
import type { PersonRow } from "@merkle/db";
import type { Write } from "../core/write.js";

/** A person who has proved itself. */
export interface PersonActor {
  readonly personId: string;
  readonly name: string;
  /** The text that it proved itself with; only ever given back to the caller who sent it. */
  readonly credential: string;
  /** The member whose person it is; null where it was made while everybody was let in. */
  readonly memberId: string | null;
  /** Whether it has shown to be human (PERSON-10); else it is a guest. */
  readonly verified: boolean;
  /** What makes it in the first write; undefined for who is there already. */
  readonly drawn?: DrawnPerson | undefined;
}

/** A person whom nobody knows yet, and who is made by the write that it calls for (PERSON-15). */
export interface DrawnPerson {
  /** Whether a write that made it is committed. */
  readonly made: boolean;
  /** Makes it in the transaction of the write, before anything else. @throws MerkleError `unauthorized` */
  make(write: Write): Promise<void>;
}

/** The credentials that were looked up lately. */
export interface CredentialCache {
  /** Forgets what is remembered of a team, a peer or a person in a session, because that has changed. */
  forget(sessionId: string, id: string): void;
  /** The same for every session. */
  forgetEverywhere(id: string): void;
  /** Forgets everything at this node: another one may have changed it. */
  forgetAll(): void;
}

/** Makes a new credential for a team, a peer or a person: the text that its caller gets, and the hash that is stored (AUTH-1). */
export function makeCredential(id: string): { credential: string; secretHash: Buffer } {
  const secret = randomBytes(32).toString("base64url");
  return { credential: `${id}.mk_${secret}`, secretHash: hashSecret(secret) };
}

export function hashSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

/** A member's person is proved by the member's key, another by a link of the broker's own terminal. */
export function isVerified({ memberId, verifiedAt }: Pick<PersonRow, "memberId" | "verifiedAt">): boolean {
  return memberId !== null || verifiedAt !== null;
}
