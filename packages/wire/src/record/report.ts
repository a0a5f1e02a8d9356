import type { SignedHead } from "../identity/head.js";
import type { Manifest } from "./bundle.js";

/** The result of verifying a record. */
export interface RecordReport {
  /** True if no fault was found. This proves neither that statements are true nor what was never posted. */
  readonly ok: boolean;
  /** Format of the bundle. Null if it cannot be read. */
  readonly format: Manifest["version"] | null;
  /**
   * The session as described in the bundle, and the time of the export. Null unless signed by the head's key,
   * or a key that it vouches for.
   */
  readonly session: Manifest["session"] | null;
  readonly exported_at: string | null;
  /** Number of messages and of versions. */
  readonly size: number;
  readonly document_version: number;
  /**
   * The root over all messages, computed during verification. `document_root` is the root over all versions.
   */
  readonly root: string;
  readonly document_root: string;
  /**
   * Number of messages that match the log. `redacted` and `private` count those of them that were redacted or
   * are private.
   */
  readonly matched: number;
  readonly redacted: number;
  readonly private: number;
  /** The head of the export. Null if its signature is invalid. */
  readonly head: SignedHead | null;
  /** The key that signed the head, and thus everything shown. */
  readonly signed_by: SignedBy | null;
  /** A head of this record seen earlier that covers more than this export, which is therefore out of date. */
  readonly seen_later: SignedHead | null;
  /** Sentences about facts that the record does not prove. */
  readonly unproven: readonly string[];
  /** The root to compare with, and the number of messages that it covers. */
  readonly noted: { readonly root: string; readonly size: number } | null;
  /** The faults in order, at most 100. */
  readonly findings: readonly Finding[];
}

export interface SignedBy {
  readonly key_id: string;
  readonly trust: Trust;
}

export type Trust = "known" | "succeeds a known one" | "first seen" | "other than the known one";

export type FindingCode =
  /** A line or file that cannot be read, or contains data that cannot be verified. */
  | "form"
  /** Messages or versions that are missing, added or out of order. */
  | "sequence"
  /** A text, or its metadata, that does not match its hash. */
  | "content"
  /** A hash that does not match the roots. */
  | "root"
  /** A signed head that does not match the record. */
  | "head"
  /** An invalid signature. */
  | "signature"
  | "key"
  /** A file that is missing, added or different from the manifest. */
  | "file"
  /** A root or head noted elsewhere that does not belong to this record. */
  | "noted";

export interface Finding {
  readonly code: FindingCode;
  /** A sentence for people. */
  readonly message: string;
  /** The position where the fault was found. */
  readonly sequence?: number;
  readonly document_version?: number;
  /** The first message or version that may have been changed, if the fault showed only in a later one. */
  readonly from_sequence?: number;
  readonly from_document_version?: number;
  readonly file?: string;
  readonly line?: number;
}

/** A verified message or version, for displaying the rows. */
export interface VerifiedRow {
  readonly log: "feed" | "document";
  /** Sequence or version of the row. For an unreadable line, the expected number. */
  readonly number: number;
  readonly line: number;
  /** The line as read from the file. */
  readonly text: string;
  readonly findings: readonly Finding[];
}
