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
 * How to do something as the person of this browser, who is asked for a name before the first time.
 *
 * @throws MerkleError the broker's refusal
 * @throws DOMException named AbortError when no name was given: then nothing is to be said about it
 */
export function useCall(): Call {
  const broker = useBroker();
  return useCallback(
    async (name, input, options) => {
      // The rules of the operations load after the page.
      const { takesCredential } = await import("./takes-credential");
      if (takesCredential(name)) await requirePerson();
      return broker.call(name, input, options);
    },
    [broker],
  );
}
