import { toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { fromBase64url } from "./base64url.js";
import { encodeForSigning } from "./signed-bytes.js";

/** The state of a session's record at one moment, as stated by its broker. */
export interface Head {
  /** Epoch of the broker's database. */
  readonly epoch: string;
  /** Id of the session's record. */
  readonly session_id: string;
  /** Number of messages in the feed. */
  readonly size: number;
  /** Root of the tree over the messages. */
  readonly root: string;
  readonly document: {
    /**
     * Version of the document, which equals the number of entries in its log. 0 if the document was never
     * written.
     */
    readonly version: number;
    /** Hash of the document's content at this version. */
    readonly hash: string | null;
    /** Root of the tree over all versions, up to and including `version`. */
    readonly root: string;
  };
  /** Hashes of the metadata outside the two logs. Missing in a head of format 1, the older format. */
  readonly about?: HeadAbout | undefined;
  readonly at: string;
  /** Id of the audit key that signs the head. */
  readonly key_id: string;
}

/** SHA-256 hashes of three parts of a bundle: the canonical JSON of the session's facts, and two files. */
export interface HeadAbout {
  readonly session: string;
  readonly roster: string;
  readonly state: string;
}

export interface SignedHead extends Head {
  /** The signature's 64 bytes in base64url. */
  readonly signature: string;
}

/** A key with which a broker signs heads. */
export interface AuditKey {
  readonly key_id: string;
  readonly public_key: string;
  readonly since: string;
  /**
   * Id of the key's predecessor, and that key's signature. Both are null if no other key vouches for this
   * one.
   */
  readonly previous: string | null;
  readonly succession: string | null;
}

/** The platform's function for verifying an ed25519 signature (RFC 8032). */
export type VerifySignature = (
  publicKey: Uint8Array,
  bytes: Uint8Array,
  signature: Uint8Array,
) => boolean | Promise<boolean>;

/**
 * Returns the bytes of a head that are signed. They cover all of its fields, and the bytes of the two formats
 * can never be confused.
 */
export function encodeHead({ epoch, session_id, size, root, document, about, at, key_id }: Head): Uint8Array {
  const { version, hash, root: documentRoot } = document;
  const logs = { epoch, session_id, size, root, document: { version, hash, root: documentRoot } };
  if (!about) return encodeForSigning("head", { ...logs, at, key_id });
  const { session, roster, state } = about;
  return encodeForSigning("head", { ...logs, about: { session, roster, state }, at, key_id }, 2);
}

/** Returns the bytes that a key signs in order to vouch for its successor. */
export function encodeSuccession({
  previous,
  public_key,
  since,
}: Pick<AuditKey, "previous" | "public_key" | "since">): Uint8Array {
  return encodeForSigning("audit key succession", { previous, public_key, since });
}

/** Returns the id of an audit key: the first 32 hexadecimal digits of the public key's SHA-256. */
export function toAuditKeyId(publicKey: Uint8Array, sha256: Sha256): string {
  return toHex(sha256(publicKey)).slice(0, 32);
}

/** Resolves to true if the head was signed with this key. */
export function isSignedBy(
  head: SignedHead,
  key: Pick<AuditKey, "key_id" | "public_key">,
  verifySignature: VerifySignature,
): Promise<boolean> {
  if (head.key_id !== key.key_id) return Promise.resolve(false);
  return isValidSignature(
    { publicKey: key.public_key, bytes: encodeHead(head), signature: head.signature },
    verifySignature,
  );
}

/**
 * Resolves to true if a signature is valid, and to false if it is invalid or if the key or signature is
 * malformed.
 */
export async function isValidSignature(
  { publicKey, bytes, signature }: { publicKey: string; bytes: Uint8Array; signature: string },
  verifySignature: VerifySignature,
): Promise<boolean> {
  const key = fromBase64url(publicKey, 32);
  const signed = fromBase64url(signature, 64);
  return key !== null && signed !== null && (await verifySignature(key, bytes, signed));
}
