"use client";

import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import { useCallback } from "react";
import { requirePerson } from "@/identity/require-person";
import { useBroker } from "./use-broker";

export type Call = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  options?: { readonly signal?: AbortSignal },
) => Promise<OutputOf<Name>>;

/**
 * Returns a function that calls operations as the person using this browser. Asks for a name before the person's first
 * write.
 *
 * @throws MerkleError if the broker refuses the call
 * @throws DOMException named AbortError if the person gave no name. Callers show no message for it.
 */
export function useCall(): Call {
  const broker = useBroker();
  return useCallback(
    async (name, input, options) => {
      if (await broker.takesCredential(name)) await requirePerson();
      return broker.call(name, input, options);
    },
    [broker],
  );
}
