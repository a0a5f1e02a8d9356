import type { SignedHead } from "../identity/head.js";
import type { Manifest } from "./bundle.js";

/** The result of verifying a record. */
export interface RecordReport {
  /**
   * True if no fault was found. That does not prove that the statements in the record are true, and says
   * nothing about what was never posted.
   */
  readonly ok: boolean;
  /** Format of the bundle. Null if the bundle cannot be read. */
  readonly format: Manifest["version"] | null;
  /**
   * The session as the bundle describes it, and the time of the export. Both are null unless they were signed
   * by the head's key, or by a key that the head's key vouches for.
   */
  readonly session: Manifest["session"] | null;
  readonly exported_at: string | null;
  /** Number of messages, and number of versions of the document. */
  readonly size: number;
  readonly document_version: number;
  /**
   * The root over all messages, and the root over all document versions, both as computed during
   * verification.
   */
  readonly root: string;
  readonly document_root: string;
  /** Number of messages that match the log, and how many of these are redacted or private. */
  readonly matched: number;
  readonly redacted: number;
  readonly private: number;
  /**
   * How often messages name a file, and how often its bytes are in the bundle. A bundle without them proves only name,
   * size, type and digest.
   */
  readonly attachments: { readonly named: number; readonly included: number };
  /** The head of the export. Null if its signature is invalid. */
  readonly head: SignedHead | null;
  /** The key that signed the head, and therefore everything that is shown. */
  readonly signed_by: SignedBy | null;
  /**
   * A head of this record that was seen earlier and covers more than this export. The export is then out of
   * date.
   */
  readonly seen_later: SignedHead | null;
  /** Sentences about facts that the record shows but does not prove. */
  readonly unproven: readonly string[];
  /** A root noted elsewhere that the record was compared with, and the number of messages that it covers. */
  readonly noted: { readonly root: string; readonly size: number } | null;
  /** The faults that were found, in order. At most 100. */
  readonly findings: readonly Finding[];
}

export interface SignedBy {
  readonly key_id: string;
  readonly trust: Trust;
}

export type Trust = "known" | "succeeds a known one" | "first seen" | "other than the known one";

export type FindingCode =
  /** A line or file cannot be read, or contains data that cannot be verified. */
  | "form"
  /** Messages or versions are missing, added or out of order. */
  | "sequence"
  /** The text or metadata of a message or version does not match its hash. */
  | "content"
  /** A hash does not match the roots. */
  | "root"
  /** A signed head does not match the record. */
  | "head"
  /** A signature is invalid. */
  | "signature"
  | "key"
  /** A file is missing, added, or different from the manifest. */
  | "file"
  /** A root or head that was noted elsewhere does not belong to this record. */
  | "noted";

export interface Finding {
  readonly code: FindingCode;
  /** A one-sentence explanation to show to users. */
  readonly message: string;
  /** Position of the message or version at which the fault was found. */
  readonly sequence?: number;
  readonly document_version?: number;
  /**
   * The first message or version that may have been changed, if the change became visible only at a later
   * one.
   */
  readonly from_sequence?: number;
  readonly from_document_version?: number;
  readonly file?: string;
  readonly line?: number;
}

/** A message or version that was verified, with its findings, for display. */
export interface VerifiedRow {
  readonly log: "feed" | "document";
  /**
   * Sequence of the message or number of the version. For an unreadable line, the number that was expected.
   */
  readonly number: number;
  readonly line: number;
  /** The line exactly as it was read from the file. */
  readonly text: string;
  readonly findings: readonly Finding[];
}
