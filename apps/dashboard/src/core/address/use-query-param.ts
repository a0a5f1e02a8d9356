"use client";

import { useCallback } from "react";
import { type SetQueryOptions, setQuery } from "./address";
import { useQuery } from "./use-query";

/**
 * Returns a URL parameter and a function that changes it. Null removes the parameter. Back and Forward restore earlier values.
 */
export function useQueryParam(
  name: string,
): [string | null, (value: string | null, options?: SetQueryOptions) => void] {
  const set = useCallback(
    (value: string | null, options: SetQueryOptions = {}) => setQuery({ [name]: value }, options),
    [name],
  );
  return [useQuery().get(name), set];
}
