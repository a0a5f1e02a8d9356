"use client";

import { useSearchParams } from "next/navigation";
import { useCallback } from "react";

export interface SetOptions {
  /** Changes the current entry of the history, so that Back leads past it. */
  readonly replace?: boolean;
}

/**
 * One parameter of the address and how to change it; null takes it out. Back and forward bring the earlier values. To be
 * used below a Suspense boundary: the exported page does not know the address.
 */
export function useQueryParam(
  name: string,
): [string | null, (value: string | null, options?: SetOptions) => void] {
  const params = useSearchParams();
  const set = useCallback(
    (value: string | null, options: SetOptions = {}) => setQuery({ [name]: value }, options),
    [name],
  );
  return [params.get(name), set];
}

/** Changes several parameters of the address in one step of the history. */
export function setQuery(
  values: Readonly<Record<string, string | null>>,
  { replace = false }: SetOptions = {},
): void {
  const { pathname, search, hash } = window.location;
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === "") params.delete(name);
    else params.set(name, value);
  }
  // The same characters stay readable that browsers show as they are.
  const query = params.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  const address = `${pathname}${query === "" ? "" : `?${query}`}${hash}`;
  if (address === `${pathname}${search}${hash}`) return;
  if (replace) window.history.replaceState(null, "", address);
  else window.history.pushState(null, "", address);
}
