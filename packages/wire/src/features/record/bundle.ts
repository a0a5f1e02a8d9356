import { canonicalJson } from "../../core/canonical-json.js";
import { toHex } from "../../core/hex.js";
import type { Sha256 } from "../../core/merkle-tree.js";
import * as shape from "../../core/shape.js";
import type { Message } from "../../feed/message.js";
import { readMessage } from "../../feed/message-fields.js";
import type { AuditKey, SignedHead } from "../../identity/head.js";
import { signedBytes } from "../../identity/signed-bytes.js";
import type { StateEntry } from "../state/operations.js";
import type { RecordedVersion } from "./entry.js";

/**
 * A record as files, in a zip: all that is needed to check it without the broker. Lines and files are canonical JSON
 * (RFC 8785), so that there is one way to write what they say; docs/record.md tells of them for other programs.
 */
export const bundleFiles = {
  /** A `FeedLine` per message, in sequence order. */
  feed: "feed.ndjson",
  /** A `DocumentLine` per version, in order. */
  versions: "document.ndjson",
  /** The document as it is: the content of the last version. */
  document: "document.md",
  roster: "roster.json",
  /** A `StateEntry` per key, in the order of the keys. */
  state: "state.ndjson",
  /** Every signed head, the oldest first. */
  heads: "heads.ndjson",
  /** `AuditKey[]`, the oldest first. */
  keys: "keys.json",
  /** Written last, since it holds the hashes of the others. */
  manifest: "manifest.json",
} as const;

/** The file of the state in bundles of format 1: one object for all keys. */
export const stateFileOfFormat1 = "state.json";

/** The files that a bundle of a format has: these, each once, and no others. */
export function bundleFileNames(format: Manifest["version"]): readonly string[] {
  const names = Object.values(bundleFiles);
  return format === 1 ? names.map((name) => (name === bundleFiles.state ? stateFileOfFormat1 : name)) : names;
}

/** The largest line and file that are read whole, so that a bundle cannot take all the memory. */
export const bundleLimits = {
  lineBytesMax: 4 * 2 ** 20,
  fileBytesMax: 2 ** 20,
  /** Lines of the roster, and of format 1's state. */
  listBytesMax: 32 * 2 ** 20,
  headsMax: 100_000,
} as const;

/** A message with what its place in the log is checked by. */
export interface FeedLine {
  /** As everybody sees it: a private one says its length. Its session is the record's id. */
  readonly message: Message;
  /** Null for a removed text, and for a private one. */
  readonly salt: string | null;
  readonly content_hash: string;
  /** The leaf; where the broker had stored it, that one. */
  readonly hash: string;
  /** The root over all messages up to this one. */
  readonly root: string;
}

/** A version of the document, alike; `content` is null for a removed one. */
export interface DocumentLine {
  readonly version: RecordedVersion;
  readonly content: string | null;
  readonly salt: string | null;
  readonly content_hash: string;
  readonly hash: string;
  readonly root: string;
}

/** The facts of a record's session besides the two logs. In format 2 the head has their hash. */
export interface SessionAbout {
  /** The record's id. */
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
  /** The format. In 1 the head is over the two logs alone. */
  readonly version: 1 | 2;
  readonly session: SessionAbout;
  readonly epoch: string;
  readonly exported_at: string;
  readonly size: number;
  readonly document_version: number;
  readonly head: SignedHead;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
  readonly key_id: string;
  readonly signature: string;
}

/** A line or a file: its canonical JSON, and a line break. */
export function writeJsonLine(
  value: FeedLine | DocumentLine | StateEntry | SignedHead | Manifest | readonly AuditKey[],
): string {
  return `${canonicalJson(value)}\n`;
}

/** The bytes of a manifest that are signed: all but the signature. */
export function manifestBytes(manifest: Omit<Manifest, "signature">): Uint8Array {
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
  return signedBytes("bundle", unsigned, version);
}

/** The hash of a session's facts, which the head has. */
export function sessionHash({ session }: Pick<Manifest, "session">, sha256: Sha256): string {
  const { session_id, slug, title, description, status, created_at, closed_at } = session;
  const about = { session_id, slug, title, description, status, created_at, closed_at };
  return toHex(sha256(new TextEncoder().encode(canonicalJson(about))));
}

/** @throws ShapeError when the text is no line of the feed, or says more than can be checked */
export function parseFeedLine(line: string): FeedLine {
  return parseCanonical(line, (value) => {
    const { message, ...rest } = feedLine(value, "the line");
    return { ...rest, message: readMessage(message, "message") };
  });
}

/** @throws ShapeError */
export function parseDocumentLine(line: string): DocumentLine {
  return parseCanonical(line, (value) => documentLine(value, "the line"));
}

/** @throws ShapeError */
export function parseHeadLine(line: string): SignedHead {
  return parseCanonical(line, (value) => parseHead(value, "the head"));
}

/** @throws ShapeError */
export function parseManifest(text: string): Manifest {
  return parseCanonical(text, (value) => manifest(value, "the manifest"));
}

/**
 * A file or a line that is hashed whole: what it says is for whoever shows it, but it must be the one way to say it.
 *
 * @throws ShapeError
 */
export function parseAnyJson(text: string): Record<string, unknown> {
  return parseCanonical(text, (value) => shape.anyObject(value, "it"));
}

/** @throws ShapeError */
export function parseKeys(text: string): readonly AuditKey[] {
  return parseCanonical(text, (value) => shape.list(auditKey)(value, "the list of keys"));
}

/** Reads JSON and what it says; that must be all that the text says, or two readers could see two things in it. */
function parseCanonical<T>(text: string, read: (value: unknown) => T): T {
  const value = read(parseJson(text));
  if (canonicalOf(value) !== text.replace(/\n$/, "")) {
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

function canonicalOf(value: unknown): string {
  try {
    return canonicalJson(value);
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

/** A signed head of either format, where one stands in something else. */
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

const auditKey: shape.Shape<AuditKey> = shape.object({
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
