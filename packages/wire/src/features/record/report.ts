import type { SignedHead } from "../../identity/head.js";
import type { Manifest } from "./bundle.js";

/** The result of a record's verification. */
export interface RecordReport {
  /** Whether nothing was found wrong. It does not show that a statement is true, nor what was never posted. */
  readonly ok: boolean;
  /** The format of the bundle; null when that cannot be read. */
  readonly format: Manifest["version"] | null;
  /**
   * The session as the bundle describes it, and when it was exported. Null unless the head's key, or one that it vouches
   * for, signed it.
   */
  readonly session: Manifest["session"] | null;
  readonly exported_at: string | null;
  /** How many messages and versions there are. */
  readonly size: number;
  readonly document_version: number;
  /** The roots over them, computed here. */
  readonly root: string;
  readonly document_root: string;
  /** Messages that are what the log says they are; of these, those whose text was removed and those that are private. */
  readonly matched: number;
  readonly redacted: number;
  readonly private: number;
  /** The head of the export; null when its signature does not hold. */
  readonly head: SignedHead | null;
  /** The key that signed that head, and with it all that is shown. */
  readonly signed_by: SignedBy | null;
  /** A head that was seen of this record and is over more than this export, which is older than it. */
  readonly seen_later: SignedHead | null;
  /** The facts that nothing here proves, in sentences. */
  readonly unproven: readonly string[];
  /** Where the root that was noted elsewhere stands: over so many messages. */
  readonly noted: { readonly root: string; readonly size: number } | null;
  /** The faults, the first one first; at most 100. */
  readonly findings: readonly Finding[];
}

export interface SignedBy {
  readonly key_id: string;
  readonly trust: Trust;
}

export type Trust = "known" | "succeeds a known one" | "first seen" | "other than the known one";

export type FindingCode =
  /** A line or file that cannot be read, or says more than can be checked. */
  | "form"
  /** Messages or versions that are missing, added, or not in their order. */
  | "sequence"
  /** A text, or what is said of it, that is not what its hash was made of. */
  | "content"
  /** A hash that is not the one that the roots were made of. */
  | "root"
  /** A signed head over something else than what is here. */
  | "head"
  /** A signature that does not hold. */
  | "signature"
  | "key"
  /** A file that is missing, added, or another than the manifest names. */
  | "file"
  /** A root, or a head, that was noted elsewhere and is not of this record. */
  | "noted";

export interface Finding {
  readonly code: FindingCode;
  /** A sentence for people. */
  readonly message: string;
  /** Where it shows. */
  readonly sequence?: number;
  readonly document_version?: number;
  /** The first message, or version, that may be the one that was changed, when it is not the one where it shows. */
  readonly from_sequence?: number;
  readonly from_document_version?: number;
  readonly file?: string;
  readonly line?: number;
}

/** A message or version that was looked at, for whoever shows the rows. */
export interface VerifiedRow {
  readonly log: "feed" | "document";
  /** Its sequence or version, or for a line that cannot be read the one that was expected. */
  readonly number: number;
  readonly line: number;
  /** The line as it came. */
  readonly text: string;
  readonly findings: readonly Finding[];
}
