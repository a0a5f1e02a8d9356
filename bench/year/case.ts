import type { InputOf, OperationName, OutputOf } from "@merkle/wire";

/** Calls an operation by its name. */
export type Call = <Name extends OperationName>(name: Name, input: InputOf<Name>) => Promise<OutputOf<Name>>;

/** How to call an operation repeatedly. */
export interface Case {
  /** Distinguishes several cases of one operation. */
  readonly what?: string;
  /** Creates what the call needs. Not measured. */
  readonly before?: (index: number) => Promise<void>;
  readonly call: (index: number) => Promise<unknown>;
  /** Undoes changes that would hinder the next call. Not measured. */
  readonly after?: () => Promise<unknown>;
  /** Maximum number of calls. Set if each call leaves much data or takes a long time. */
  readonly callsMax?: number;
}

/** Why an operation cannot be called here. Used instead of cases. */
export interface Unmeasured {
  readonly unmeasured: string;
}

export type Cases = readonly Case[] | Case | Unmeasured;

/** Defines a case whose call uses an object that is created before the call. */
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
