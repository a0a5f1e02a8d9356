"use client";

import { useSearchParams } from "next/navigation";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { addressBecame, onAddress, queryAhead } from "./address";

/**
 * Returns the query of the address, from the moment it is changed. Next renders for it when it finds time, and a choice read from
 * there would jump back to what it was until then. To be used below a Suspense boundary: the exported page does not know its
 * address.
 */
export function useQuery(): URLSearchParams {
  const rendered = useSearchParams();
  const ahead = useSyncExternalStore(onAddress, queryAhead, () => null);
  useEffect(() => addressBecame(rendered), [rendered]);
  return useMemo(() => new URLSearchParams(ahead ?? rendered.toString()), [ahead, rendered]);
}
