import type { InputOf, OperationName, OutputOf } from "@merkle/wire";

/** Calls an operation by its name. */
export type Call = <Name extends OperationName>(name: Name, input: InputOf<Name>) => Promise<OutputOf<Name>>;

/** How an operation is called again and again. */
export interface Case {
  /** Tells two cases of one operation apart. */
  readonly what?: string;
  /** Makes what the call needs, and is not measured. */
  readonly before?: (index: number) => Promise<void>;
  readonly call: (index: number) => Promise<unknown>;
  /** Puts back what would hinder the next call, and is not measured. */
  readonly after?: () => Promise<unknown>;
  /** No more than so many calls, since each leaves much, or takes long. */
  readonly callsMax?: number;
}

/** What an operation has in place of cases that cannot be called here, with the reason. */
export interface Unmeasured {
  readonly unmeasured: string;
}

export type Cases = readonly Case[] | Case | Unmeasured;

/** A case whose call takes what is made before it. */
export function on<Made>(
  make: (index: number) => Promise<Made>,
  call: (made: Made, index: number) => Promise<unknown>,
  more: { readonly callsMax?: number; readonly after?: (made: Made) => Promise<unknown> } = {},
): Case {
  let made: Made;
  const { after, ...rest } = more;
  return {
    ...rest,
    before: async (index) => {
      made = await make(index);
    },
    call: (index) => call(made, index),
    ...(after && { after: () => after(made) }),
  };
}
