import type { AuditKey, RecordReport } from "@merkle/wire/record";
import type { SurroundingPage } from "@merkle/wire/record/page";
import type { CheckedProof } from "./check-proof";
import type { Excerpt } from "./excerpt";
import type { SeenHeads } from "./seen-heads";

/** Keys and heads that the page already trusts. Records are compared with them. */
export interface TrustedData {
  /** Keys of the broker that served the page. */
  readonly brokerKeys: readonly AuditKey[];
  /** The heads of records that this browser has seen before. */
  readonly seen: SeenHeads;
}

export type Checkable =
  | { readonly what: "bundle"; readonly file: Blob }
  /** The JSON output of `session_proof`. */
  | { readonly what: "proof"; readonly text: string };

/** The page's requests to the worker. A new check cancels the previous one. */
export type VerifyRequest =
  | ({ readonly type: "check"; readonly id: number; readonly trusted: TrustedData } & Checkable)
  | { readonly type: "give up" };

/** The worker's messages: ready, progress, and the result of a check. */
export type VerifyReply =
  | { readonly type: "ready" }
  | { readonly type: "progress"; readonly id: number; readonly share: number }
  | { readonly type: "checked"; readonly id: number; readonly result: CheckResult }
  | { readonly type: "failed"; readonly id: number; readonly message: string };

export type CheckResult = CheckedBundle | { readonly what: "proof"; readonly proof: CheckedProof };

export interface CheckedBundle {
  readonly what: "bundle";
  readonly report: RecordReport;
  /** Whether the record is embedded in a page, and whether that page is Merkle's. */
  readonly page: SurroundingPage;
  /** The rows around the first wrong row. */
  readonly excerpt: Excerpt;
  /** The keys that make the record's own key trusted. They are stored together with the record's head. */
  readonly keys: readonly AuditKey[];
}
