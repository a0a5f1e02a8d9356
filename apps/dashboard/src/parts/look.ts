import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import type { ChangeKind } from "@/broker/broker";

/** A question to the broker: is there anything yet that a page or a tab could show? */
export interface Look<Name extends OperationName = OperationName> {
  readonly name: Name;
  readonly input: InputOf<Name>;
  /** The changes after which to ask again. */
  readonly on: readonly ChangeKind[];
  readonly hasAny: (answer: OutputOf<Name>) => boolean;
  /** Only a verified human may ask. */
  readonly asHuman?: true;
}

export function look<Name extends OperationName>(question: Look<Name>): Look {
  // The name, the input and the answer belong together, which only the caller's type knows.
  return question as unknown as Look;
}
