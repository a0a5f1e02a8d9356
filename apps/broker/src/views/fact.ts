import type { FileFact, MeshFact, SessionFact, SourceFact } from "@merkle/db";
import type { AttentionItem } from "@merkle/wire";

/** Something that waits for a human, as it is; who has put it away is another matter. */
export type Fact =
  | (SessionFact & Described<Exclude<AttentionItem["kind"], "quota_near">>)
  // A file has nobody in it who could ask, be blocked or be held.
  | (FileFact & Described<Extract<AttentionItem, { source_path: string }>["kind"]>)
  | (MeshFact & Described<"quota_near">);

interface Described<Kind> {
  /** Names the fact: the same happening again is another one (ATT-2). */
  readonly id: string;
  readonly kind: Kind;
  /** The message of an ask, whose text is read for those alone that are shown; or the first that nobody has got. */
  readonly sequence: number | null;
  /** The number of an approval, a proposal, a job or a task; or how many messages nobody has got. */
  readonly number: number | null;
  readonly team: string | null;
  readonly peer: string | null;
  readonly text: string;
}

/** @param what - tells it from the other facts of this kind in its session, or of all files */
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
