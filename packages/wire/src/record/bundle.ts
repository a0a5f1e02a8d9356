import { toCanonicalJson } from "../core/canonical-json.js";
import { toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import * as shape from "../core/shape.js";
import type { Message } from "../feed/message.js";
import { readMessage } from "../feed/message-fields.js";
import type { AuditKey, SignedHead } from "../identity/head.js";
import { encodeForSigning } from "../identity/signed-bytes.js";
import type { RecordedVersion } from "./entry.js";

/**
 * The files in a bundle, which is a zip file with everything needed to verify a record without its broker.
 * Lines and files are canonical JSON (RFC 8785), so each value has exactly one representation. docs/record.md
 * describes the format for other programs.
 */
export const bundleFiles = {
  /** One `FeedLine` per message, ordered by sequence. */
  feed: "feed.ndjson",
  /** One `DocumentLine` per version of the document, in order. */
  versions: "document.ndjson",
  /** The text of the document's last version. */
  document: "document.md",
  roster: "roster.json",
  /** One `StateLine` per key, ordered by key. */
  state: "state.ndjson",
  /** All signed heads of the record, oldest first. */
  heads: "heads.ndjson",
  /** An array of `AuditKey`, oldest first. */
  keys: "keys.json",
  /** The manifest. It is written last, because it contains the hashes of the other files. */
  manifest: "manifest.json",
} as const;

/** Name of the state file in format 1. The file contains one object with all keys. */
export const stateFileOfFormat1 = "state.json";

/**
 * Returns the names of the files in a bundle of this format. A bundle contains each of them once, and no
 * other files.
 */
export function bundleFileNames(format: Manifest["version"]): readonly string[] {
  const names = Object.values(bundleFiles);
  return format === 1 ? names.map((name) => (name === bundleFiles.state ? stateFileOfFormat1 : name)) : names;
}

/**
 * Returns the name under which a bundle contains a file that messages carry. The messages name the digest, so the
 * manifest does not list these files, and a bundle is complete without them.
 */
export function toAttachmentName(digest: string): string {
  return `${attachmentPrefix}${digest}`;
}

/** Returns the digest in the name of a file that messages carry, or null for any other name. */
export function findAttachmentDigest(name: string): string | null {
  const digest = name.startsWith(attachmentPrefix) ? name.slice(attachmentPrefix.length) : "";
  return /^[0-9a-f]{64}$/.test(digest) ? digest : null;
}

const attachmentPrefix = "attachment-";

/**
 * Maximum sizes of lines and files that are read into memory as a whole, so that a bundle cannot exhaust the
 * memory.
 */
export const bundleLimits = {
  lineBytesMax: 4 * 2 ** 20,
  fileBytesMax: 2 ** 20,
  /** Maximum size of the roster file and, in format 1, of the state file. */
  listBytesMax: 32 * 2 ** 20,
  headsMax: 100_000,
  /** Maximum number of files of messages in a bundle. An export leaves out any more. */
  attachmentsMax: 10_000,
} as const;

/** A message, with the data that proves its content and its position in the log. */
export interface FeedLine {
  /**
   * The message as all readers see it. For a private message, only the length of its text is included. The
   * message's session id is the record's id.
   */
  readonly message: Message;
  /** Salt of the content's hash, in hexadecimal. Null if the text was removed or is private. */
  readonly salt: string | null;
  readonly content_hash: string;
  /** Hash of the message's leaf in the log. If the broker has stored this hash, the stored hash is used. */
  readonly hash: string;
  /** Root of the log's tree over all messages up to this one. */
  readonly root: string;
}

/**
 * A version of the document, with the same kinds of proof as a `FeedLine`. `content` is null if the text was
 * removed.
 */
export interface DocumentLine {
  readonly version: RecordedVersion;
  readonly content: string | null;
  readonly salt: string | null;
  readonly content_hash: string;
  readonly hash: string;
  readonly root: string;
}

/** A key in the session's state. `value` is missing if the key was deleted. */
export interface StateLine {
  readonly key: string;
  readonly value?: unknown;
  readonly deleted: boolean;
  /** True if an earlier value of the key was removed. */
  readonly redacted?: true | undefined;
  readonly version: number;
  readonly updatedBy: string;
  readonly updatedAt: string;
}

/**
 * Facts about a session that are not in the two logs of its record. In format 2, the signed head contains
 * their hash.
 */
export interface SessionInfo {
  /** Id of the session's record. */
  readonly session_id: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly status: string;
  readonly created_at: string;
  readonly closed_at: string | null;
}

export interface Manifest {
  readonly format: "merkle-bundle";
  /** Version of the bundle's format. In format 1, the head covers only the two logs. */
  readonly version: 1 | 2;
  readonly session: SessionInfo;
  readonly epoch: string;
  readonly exported_at: string;
  readonly size: number;
  readonly document_version: number;
  readonly head: SignedHead;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
  readonly key_id: string;
  readonly signature: string;
}

/** Formats a line or file of a bundle: the value's canonical JSON and a line break. */
export function writeJsonLine(
  value: FeedLine | DocumentLine | StateLine | SignedHead | Manifest | readonly AuditKey[],
): string {
  return `${toCanonicalJson(value)}\n`;
}

/** Returns the signed bytes of a manifest, which cover everything except the signature. */
export function encodeManifest(manifest: Omit<Manifest, "signature">): Uint8Array {
  const { format, version, session, epoch, exported_at, size, document_version, head, files, key_id } =
    manifest;
  const unsigned = {
    format,
    version,
    session,
    epoch,
    exported_at,
    size,
    document_version,
    head,
    files,
    key_id,
  };
  return encodeForSigning("bundle", unsigned, version);
}

/** Returns the hash of a session's facts that the signed head contains. */
export function hashSession({ session }: Pick<Manifest, "session">, sha256: Sha256): string {
  const { session_id, slug, title, description, status, created_at, closed_at } = session;
  const about = { session_id, slug, title, description, status, created_at, closed_at };
  return toHex(sha256(new TextEncoder().encode(toCanonicalJson(about))));
}

/** @throws ShapeError if the text is not a line of the feed, or has fields that cannot be verified */
export function parseFeedLine(line: string): FeedLine {
  return parseCanonical(line, (value) => {
    const { message, ...rest } = feedLine(value, "the line");
    return { ...rest, message: readMessage(message, "message") };
  });
}

/** @throws ShapeError if the text is not a line of the document */
export function parseDocumentLine(line: string): DocumentLine {
  return parseCanonical(line, (value) => documentLine(value, "the line"));
}

/** @throws ShapeError if the text is not a signed head */
export function parseHeadLine(line: string): SignedHead {
  return parseCanonical(line, (value) => parseHead(value, "the head"));
}

/** @throws ShapeError if the text is not a manifest */
export function parseManifest(text: string): Manifest {
  return parseCanonical(text, (value) => manifest(value, "the manifest"));
}

/**
 * Parses a line or file whose content is only displayed. It is hashed as a whole, and must be canonical JSON.
 *
 * @throws ShapeError if the text is not a canonical JSON object
 */
export function parseAnyJson(text: string): Record<string, unknown> {
  return parseCanonical(text, (value) => shape.anyObject(value, "it"));
}

/** @throws ShapeError if the text is not a list of keys */
export function parseKeys(text: string): readonly AuditKey[] {
  return parseCanonical(text, (value) => shape.list(auditKey)(value, "the list of keys"));
}

/**
 * Parses JSON and checks its form. The text must equal the canonical JSON of the result, because otherwise
 * two readers could interpret it differently.
 */
export function parseCanonical<T>(text: string, read: (value: unknown) => T): T {
  const value = read(parseJson(text));
  if (formatCanonical(value) !== text.replace(/\n$/, "")) {
    throw new shape.ShapeError(
      "It contains fields that this version of Merkle does not know, or is not canonical JSON (RFC 8785). If a newer Merkle wrote it, upgrade this one.",
    );
  }
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new shape.ShapeError("It is not JSON.", { cause });
  }
}

function formatCanonical(value: unknown): string {
  try {
    return toCanonicalJson(value);
  } catch (cause) {
    throw new shape.ShapeError(
      "It is nested too deeply, or contains an incomplete character (a lone surrogate).",
      { cause },
    );
  }
}

const proofFields = {
  salt: shape.nullable(shape.salt),
  content_hash: shape.hash,
  hash: shape.hash,
  root: shape.hash,
};

const feedLine = shape.object({ message: shape.anyObject, ...proofFields });

const documentLine: shape.Shape<DocumentLine> = shape.object({
  version: shape.object({
    session_id: shape.uuid,
    version: shape.count,
    written_by_team_id: shape.uuid,
    written_by: shape.text,
    written_at: shape.instant,
    after_sequence: shape.count,
  }),
  content: shape.nullable(shape.text),
  ...proofFields,
});

/** Parses a signed head in either format, within another value. */
export const parseHead: shape.Shape<SignedHead> = (value, place) => {
  const { about, ...head } = headFields(value, place);
  return about === undefined ? head : { ...head, about };
};

const headFields = shape.object({
  epoch: shape.uuid,
  session_id: shape.uuid,
  size: shape.count,
  root: shape.hash,
  document: shape.object({
    version: shape.count,
    hash: shape.nullable(shape.hash),
    root: shape.hash,
  }),
  about: shape.optional(shape.object({ session: shape.hash, roster: shape.hash, state: shape.hash })),
  at: shape.instant,
  key_id: shape.keyId,
  signature: shape.signature,
});

export const auditKey: shape.Shape<AuditKey> = shape.object({
  key_id: shape.keyId,
  public_key: shape.publicKey,
  since: shape.instant,
  previous: shape.nullable(shape.keyId),
  succession: shape.nullable(shape.signature),
});

const manifest: shape.Shape<Manifest> = shape.object({
  format: shape.oneOf("merkle-bundle"),
  version: (value: unknown, place: string): 1 | 2 => {
    if (value !== 1 && value !== 2)
      throw new shape.ShapeError(
        `${place} must be 1 or 2, the formats that this version of Merkle reads. If a newer Merkle wrote the bundle, upgrade this one.`,
      );
    return value;
  },
  session: shape.object({
    session_id: shape.uuid,
    slug: shape.text,
    title: shape.text,
    description: shape.text,
    status: shape.text,
    created_at: shape.instant,
    closed_at: shape.nullable(shape.instant),
  }),
  epoch: shape.uuid,
  exported_at: shape.instant,
  size: shape.count,
  document_version: shape.count,
  head: parseHead,
  files: shape.list(shape.object({ name: shape.text, bytes: shape.count, sha256: shape.hash })),
  key_id: shape.keyId,
  signature: shape.signature,
});
