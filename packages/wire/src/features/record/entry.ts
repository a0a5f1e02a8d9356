import { canonicalJson } from "../../core/canonical-json.js";
import { toHex } from "../../core/hex.js";
import type { Sha256 } from "../../core/merkle-tree.js";
import type { Message } from "../../feed/message.js";
import { headOf, type MessageHead } from "../../feed/message-fields.js";
import { kindOf } from "../../feed/message-kind.js";
import { privateBytes } from "../../feed/redaction.js";
import { leafHash } from "./log-tree.js";

/**
 * The part of a message that the log of the feed commits to: all that is known of it, and a salted hash in place of its
 * content. So the text can be removed, and nobody can guess it from the rest.
 */
export interface FeedEntry extends Readonly<Omit<MessageHead, "reply_to">> {
  /** The record's id: the session's own, or that of the session which an imported one comes from. */
  readonly session_id: string;
  /** A chat message's kind, a system message's event. */
  readonly kind: string | null;
  /** Null when it is no reply. */
  readonly reply_to: number | null;
  readonly content_hash: string;
  /** How long a private message is. What else it holds is in no record that is given out. */
  readonly private?: { readonly bytes: number };
}

/**
 * The entry of a message. It is the same before and after the content was removed, for those who may read a private message
 * and for all the others.
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

/** A version as the log of the document commits to it. */
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

/** The leaf of an entry: over its canonical JSON (RFC 8785) in UTF-8. */
export function entryLeaf(entry: FeedEntry | DocumentEntry, sha256: Sha256): Uint8Array {
  return leafHash(utf8.encode(canonicalJson(entry)), sha256);
}

/**
 * Returns the hash that stands for a content in its entry: SHA-256 over 16 random bytes and the text, in hexadecimal. A
 * message's text is the canonical JSON of its content as it is stored, a version's is the version itself.
 */
export function contentHash(salt: Uint8Array, text: string, sha256: Sha256): string {
  const content = utf8.encode(text);
  const bytes = new Uint8Array(salt.length + content.length);
  bytes.set(salt);
  bytes.set(content, salt.length);
  return toHex(sha256(bytes));
}

const utf8 = new TextEncoder();
