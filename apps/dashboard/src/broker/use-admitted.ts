"use client";

import type { HelloResult } from "@merkle/wire";
import { useOfConnection } from "./use-connection-state";

/** Returns the principal of this browser. Null on an open broker, and before the broker has answered. */
export function useAdmitted(): HelloResult | null {
  return useOfConnection(({ admitted }) => (admitted?.as.kind === "anyone" ? null : admitted), null);
}

/** True if this browser is a read-only observer. */
export function useIsObserver(): boolean {
  return useAdmitted()?.as.kind === "observer";
}
