import { toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { fromBase64url } from "./base64url.js";
import { signedBytes } from "./signed-bytes.js";

/** The state of a record at one moment, as its broker states it. */
export interface Head {
  /** The history of the database that it was said of. */
  readonly epoch: string;
  /** The record's id. */
  readonly session_id: string;
  /** How many messages the feed has. */
  readonly size: number;
  /** The root over them. */
  readonly root: string;
  readonly document: {
    /** The document's version, which is how many the log of its versions has; 0 when it was never written. */
    readonly version: number;
    /** The content hash of that version. */
    readonly hash: string | null;
    /** The root over all versions up to it. */
    readonly root: string;
  };
  /** The hashes of what is said around the two logs; heads of format 1, which were signed before there was another, have none. */
  readonly about?: HeadAbout | undefined;
  readonly at: string;
  /** The audit key that signs it. */
  readonly key_id: string;
}

/** SHA-256 of each, as a bundle holds it: of the canonical JSON of the session's own facts, and of two files. */
export interface HeadAbout {
  readonly session: string;
  readonly roster: string;
  readonly state: string;
}

export interface SignedHead extends Head {
  /** 64 bytes, in base64url. */
  readonly signature: string;
}

/** A key that a broker signs heads with. */
export interface AuditKey {
  readonly key_id: string;
  readonly public_key: string;
  readonly since: string;
  /** The key that it took the place of, and that key's word for it; both null for one that nothing vouches for. */
  readonly previous: string | null;
  readonly succession: string | null;
}

/** Checks an ed25519 signature (RFC 8032), as the platform at hand can. */
export type VerifySignature = (
  publicKey: Uint8Array,
  bytes: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/** The bytes of a head that are signed: all of it. A head of the one format is never one of the other. */
export function headBytes({ epoch, session_id, size, root, document, about, at, key_id }: Head): Uint8Array {
  const { version, hash, root: documentRoot } = document;
  const logs = { epoch, session_id, size, root, document: { version, hash, root: documentRoot } };
  if (!about) return signedBytes("head", { ...logs, at, key_id });
  const { session, roster, state } = about;
  return signedBytes("head", { ...logs, about: { session, roster, state }, at, key_id }, 2);
}

/** The bytes that a key signs of its successor. */
export function successionBytes({
  previous,
  public_key,
  since,
}: Pick<AuditKey, "previous" | "public_key" | "since">): Uint8Array {
  return signedBytes("audit key succession", { previous, public_key, since });
}

/** The first 32 hexadecimal digits of the key's SHA-256. */
export function auditKeyId(publicKey: Uint8Array, sha256: Sha256): string {
  return toHex(sha256(publicKey)).slice(0, 32);
}

/** Whether the head was signed with this key. */
export function isSignedBy(
  head: SignedHead,
  key: Pick<AuditKey, "key_id" | "public_key">,
  verifySignature: VerifySignature,
): Promise<boolean> {
  if (head.key_id !== key.key_id) return Promise.resolve(false);
  return holds(
    { publicKey: key.public_key, bytes: headBytes(head), signature: head.signature },
    verifySignature,
  );
}

/** Whether a signature holds; not when the key or the signature are not written as they should be. */
export async function holds(
  { publicKey, bytes, signature }: { publicKey: string; bytes: Uint8Array; signature: string },
  verifySignature: VerifySignature,
): Promise<boolean> {
  const key = fromBase64url(publicKey, 32);
  const signed = fromBase64url(signature, 64);
  return key !== null && signed !== null && (await verifySignature(key, bytes, signed));
}
