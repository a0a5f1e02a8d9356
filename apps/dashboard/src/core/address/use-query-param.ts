"use client";

import { useCallback } from "react";
import { type SetOptions, setQuery } from "./address";
import { useQuery } from "./use-query";

/** One parameter of the address and how to change it; null takes it out. Back and forward bring the earlier values. */
export function useQueryParam(
  name: string,
): [string | null, (value: string | null, options?: SetOptions) => void] {
  const set = useCallback(
    (value: string | null, options: SetOptions = {}) => setQuery({ [name]: value }, options),
    [name],
  );
  return [useQuery().get(name), set];
}
