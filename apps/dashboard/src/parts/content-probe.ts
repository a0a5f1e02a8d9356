import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import type { ChangeKind } from "@/broker/broker";

/** A read that shows whether a page or tab has any content yet. */
export interface ContentProbe<Name extends OperationName = OperationName> {
  readonly name: Name;
  readonly input: InputOf<Name>;
  /** The kinds of change that trigger another read. */
  readonly on: readonly ChangeKind[];
  readonly hasAny: (answer: OutputOf<Name>) => boolean;
  /** If true, only a verified human may read this. */
  readonly needsHuman?: true;
}

export function createContentProbe<Name extends OperationName>(probe: ContentProbe<Name>): ContentProbe {
  // The type `ContentProbe` does not relate name, input and answer to each other. Only the caller's type does.
  return probe as unknown as ContentProbe;
}
