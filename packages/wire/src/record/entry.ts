import { canonicalJson } from "../core/canonical-json.js";
import { toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import type { Message } from "../feed/message.js";
import { headOf, type MessageHead } from "../feed/message-fields.js";
import { kindOf } from "../feed/message-kind.js";
import { privateBytes } from "../feed/redaction.js";
import { leafHash } from "./log-tree.js";

/**
 * The part of a message that the feed's log commits to: its metadata, and a salted hash instead of its
 * content. The text can therefore be removed, and no one can guess it from the remainder.
 */
export interface FeedEntry extends Readonly<Omit<MessageHead, "reply_to">> {
  /** Id of the record: the session's own id, or that of the original of an imported session. */
  readonly session_id: string;
  /** The kind of a chat message, or the event of a system message. */
  readonly kind: string | null;
  /** Null if it is not a reply. */
  readonly reply_to: number | null;
  readonly content_hash: string;
  /** Length of a private message. Its content is not part of an exported record. */
  readonly private?: { readonly bytes: number };
}

/**
 * Returns the entry of a message. It is the same before and after a redaction, and for all readers of a
 * private message.
 */
export function feedEntry(
  message: Message,
  { recordId, contentHash }: { recordId: string; contentHash: string },
): FeedEntry {
  const bytes = privateBytes(message.content);
  return {
    ...headOf(message),
    session_id: recordId,
    kind: kindOf(message),
    reply_to: message.reply_to ?? null,
    content_hash: contentHash,
    ...(bytes === null ? {} : { private: { bytes } }),
  };
}

/** One version of the document, without its text. */
export interface RecordedVersion {
  readonly session_id: string;
  readonly version: number;
  readonly written_by_team_id: string;
  readonly written_by: string;
  readonly written_at: string;
  readonly after_sequence: number;
}

/** A document version as the document's log commits to it. */
export interface DocumentEntry extends RecordedVersion {
  readonly content_hash: string;
}

export function documentEntry(
  {
    version,
    written_by_team_id,
    written_by,
    written_at,
    after_sequence,
  }: Omit<RecordedVersion, "session_id">,
  { recordId, contentHash }: { recordId: string; contentHash: string },
): DocumentEntry {
  return {
    session_id: recordId,
    version,
    written_by_team_id,
    written_by,
    written_at,
    after_sequence,
    content_hash: contentHash,
  };
}

/** Returns the leaf of an entry: the hash of its canonical JSON (RFC 8785) in UTF-8. */
export function entryLeaf(entry: FeedEntry | DocumentEntry, sha256: Sha256): Uint8Array {
  return leafHash(utf8.encode(canonicalJson(entry)), sha256);
}

/**
 * Returns the hash of a content for its entry: SHA-256 of 16 random bytes and the text, in hexadecimal. A
 * message's text is the canonical JSON of its stored content. A version's text is the document itself.
 */
export function contentHash(salt: Uint8Array, text: string, sha256: Sha256): string {
  const content = utf8.encode(text);
  const bytes = new Uint8Array(salt.length + content.length);
  bytes.set(salt);
  bytes.set(content, salt.length);
  return toHex(sha256(bytes));
}

const utf8 = new TextEncoder();
