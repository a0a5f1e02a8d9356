"use client";

import { useSearchParams } from "next/navigation";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { clearPendingQuery, findPendingQuery, onAddressChange } from "./address";

/**
 * Returns the URL's query as soon as it changes. Next's own hook lags behind, so a control that reads it would briefly show its
 * old value. Use below a Suspense boundary, because the exported page does not know its URL.
 */
export function useQuery(): URLSearchParams {
  const rendered = useSearchParams();
  const pendingQuery = useSyncExternalStore(onAddressChange, findPendingQuery, () => null);
  useEffect(() => clearPendingQuery(rendered), [rendered]);
  return useMemo(() => new URLSearchParams(pendingQuery ?? rendered.toString()), [pendingQuery, rendered]);
}
