import type { FileFact, MeshFact, SessionFact, SourceFact } from "@merkle/db";
import type { AttentionItem } from "@merkle/wire";

/** Something that waits for a human, whether or not anyone has dismissed it. */
export type Fact =
  | (SessionFact & Described<Exclude<AttentionItem["kind"], "quota_near">>)
  // A file has no agents that could ask, be blocked or be held.
  | (FileFact & Described<Extract<AttentionItem, { source_path: string }>["kind"]>)
  | (MeshFact & Described<"quota_near">);

interface Described<Kind> {
  /** Id of the fact. The same thing happening again is another fact (ATT-2). */
  readonly id: string;
  readonly kind: Kind;
  /** Sequence of an ask, whose text is read only when it is shown, or of the first undelivered message. */
  readonly sequence: number | null;
  /** The number of an approval, a proposal, a job or a task, or the count of undelivered messages. */
  readonly number: number | null;
  readonly team: string | null;
  readonly peer: string | null;
  readonly text: string;
}

/** @param what - distinguishes the fact from others of this kind in its session, or from those of all files */
export function toFact<Kind extends Fact["kind"], Source extends SourceFact | MeshFact>(
  kind: Kind,
  source: Source,
  what: string | number,
  details: Partial<Omit<Described<Kind>, "id" | "kind">> = {},
): Source & Described<Kind> {
  const { sequence = null, number = null, team = null, peer = null, text = "" } = details;
  const id = `${kind}:${source.sessionId ?? "file"}:${what}`;
  return { ...source, id, kind, sequence, number, team, peer, text };
}
