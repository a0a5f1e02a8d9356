import type { AuditKey, RecordReport } from "@merkle/wire/record";
import type { SurroundingPage } from "@merkle/wire/record/page";
import type { CheckedProof } from "./check-proof";
import type { Excerpt } from "./excerpt";
import type { SeenHeads } from "./seen-heads";

/** The things that the page believes already, from before: a record is compared with them. */
export interface Believed {
  /** Keys of the broker that served the page. */
  readonly brokerKeys: readonly AuditKey[];
  /** The heads of records that this browser saw before. */
  readonly seen: SeenHeads;
}

export type Checkable =
  | { readonly what: "bundle"; readonly file: Blob }
  /** The JSON of a session_proof. */
  | { readonly what: "proof"; readonly text: string };

/** The page's requests to the worker; a new check ends the one before it. */
export type VerifyRequest =
  | ({ readonly type: "check"; readonly id: number; readonly believed: Believed } & Checkable)
  | { readonly type: "give up" };

/** The worker's messages: that it has everything it needs, how far it is, and what it found. */
export type VerifyReply =
  | { readonly type: "ready" }
  | { readonly type: "progress"; readonly id: number; readonly share: number }
  | { readonly type: "checked"; readonly id: number; readonly result: CheckResult }
  | { readonly type: "failed"; readonly id: number; readonly message: string };

export type CheckResult = CheckedBundle | { readonly what: "proof"; readonly proof: CheckedProof };

export interface CheckedBundle {
  readonly what: "bundle";
  readonly report: RecordReport;
  /** Whether the record came in a page, and whether that page is Merkle's. */
  readonly page: SurroundingPage;
  /** The rows around the first that is wrong. */
  readonly excerpt: Excerpt;
  /** The keys that the record's own were believed by, to be kept with its head. */
  readonly keys: readonly AuditKey[];
}
