import { toCanonicalJson } from "../core/canonical-json.js";
import { toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import type { Message } from "../feed/message.js";
import { type MessageHead, pickMessageHead } from "../feed/message-fields.js";
import { findMessageKind } from "../feed/message-kind.js";
import { findPrivateBytes } from "../feed/redaction.js";
import { hashLeaf } from "./log-tree.js";

/**
 * The parts of a message that the feed's log commits to: its metadata, and a salted hash of its content. The
 * text itself can therefore be removed, and no one can guess it from the rest.
 */
export interface FeedEntry extends Readonly<Omit<MessageHead, "reply_to">> {
  /**
   * Id of the record. This is the session's own id or, for an imported session, the id that the session had
   * originally.
   */
  readonly session_id: string;
  /** Kind of a chat message, or name of a system message's event. */
  readonly kind: string | null;
  /** Sequence of the message that this one replies to. Null if it is not a reply. */
  readonly reply_to: number | null;
  readonly content_hash: string;
  /** Length of a private message. Its content is never part of an exported record. */
  readonly private?: { readonly bytes: number };
}

/**
 * Returns a message's entry in the log. The entry does not change when the message is redacted, and it is the
 * same for all readers of a private message.
 */
export function createFeedEntry(
  message: Message,
  { recordId, contentHash }: { recordId: string; contentHash: string },
): FeedEntry {
  const bytes = findPrivateBytes(message.content);
  return {
    ...pickMessageHead(message),
    session_id: recordId,
    kind: findMessageKind(message),
    reply_to: message.reply_to ?? null,
    content_hash: contentHash,
    ...(bytes === null ? {} : { private: { bytes } }),
  };
}

/** A version of the document, without its text. */
export interface RecordedVersion {
  readonly session_id: string;
  readonly version: number;
  readonly written_by_team_id: string;
  readonly written_by: string;
  readonly written_at: string;
  readonly after_sequence: number;
}

/** A version of the document, as the document's log commits to it. */
export interface DocumentEntry extends RecordedVersion {
  readonly content_hash: string;
}

export function createDocumentEntry(
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

/** Returns the leaf hash of an entry. It is computed from the entry's canonical JSON (RFC 8785) in UTF-8. */
export function hashEntry(entry: FeedEntry | DocumentEntry, sha256: Sha256): Uint8Array {
  return hashLeaf(utf8.encode(toCanonicalJson(entry)), sha256);
}

/**
 * Returns the hash by which an entry commits to content: SHA-256 of the salt (16 random bytes) and the text,
 * in hexadecimal. For a message, the text is the canonical JSON of its content. For a version, it is the
 * document itself.
 */
export function hashContent(salt: Uint8Array, text: string, sha256: Sha256): string {
  const content = utf8.encode(text);
  const bytes = new Uint8Array(salt.length + content.length);
  bytes.set(salt);
  bytes.set(content, salt.length);
  return toHex(sha256(bytes));
}

const utf8 = new TextEncoder();
