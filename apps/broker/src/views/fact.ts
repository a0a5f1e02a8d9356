import type { FileFact, MeshFact, SessionFact, SourceFact } from "@merkle/db";
import type { AttentionItem } from "@merkle/wire";

/** Something that is waiting for a human, regardless of whether anyone has dismissed it. */
export type AttentionFact =
  | (SessionFact & FactDetails<Exclude<AttentionItem["kind"], "quota_near">>)
  // Only some kinds of fact can be about a file, because a file has no agents that could ask, be blocked or be
  // put on hold.
  | (FileFact & FactDetails<Extract<AttentionItem, { source_path: string }>["kind"]>)
  | (MeshFact & FactDetails<"quota_near">);

interface FactDetails<Kind> {
  /** Id of the fact. A recurrence of the same thing is a new fact (ATT-2). */
  readonly id: string;
  readonly kind: Kind;
  /**
   * Sequence of an ask, whose text is read only when the ask is shown, or of the first undelivered message. For a
   * blocked peer, the sequence of its ask.
   */
  readonly sequence: number | null;
  /** The number of the approval, proposal, job or task, or how many messages are undelivered. */
  readonly number: number | null;
  readonly team: string | null;
  readonly peer: string | null;
  readonly text: string;
  /** Whether only a person can settle it, and agents cannot (ATT-17). */
  readonly needsPerson: boolean;
  /** Whether something asked has had no reply for `unanswered_after_s` (ATT-15). False for other kinds. */
  readonly unanswered: boolean;
}

/** @param what - distinguishes the fact from other facts of this kind in the same session, or about files */
export function toFact<Kind extends AttentionFact["kind"], Source extends SourceFact | MeshFact>(
  kind: Kind,
  source: Source,
  what: string | number,
  details: Partial<Omit<FactDetails<Kind>, "id" | "kind">> = {},
): Source & FactDetails<Kind> {
  const { sequence = null, number = null, team = null, peer = null, text = "" } = details;
  const { needsPerson = personKinds.has(kind), unanswered = false } = details;
  const id = `${kind}:${source.sessionId ?? "file"}:${what}`;
  return { ...source, id, kind, sequence, number, team, peer, text, needsPerson, unanswered };
}

/** The kinds that only a person can settle. Agents can claim what was returned, read and post again. */
const personKinds: ReadonlySet<AttentionItem["kind"]> = new Set([
  "blocked",
  "ask",
  "approval",
  "proposal",
  "in_review",
  "held",
  "budget_spent",
  "budget_near",
  "quota_near",
  "job_failed",
]);
