"use client";

import type { Admitted } from "@merkle/wire";
import { useOfConnection } from "./use-connection-state";

/** The principal of this browser, and its session; null where everybody is let in, and before the broker has answered. */
export function useAdmitted(): Admitted | null {
  return useOfConnection(({ admitted }) => (admitted?.as.kind === "anyone" ? null : admitted), null);
}

/** Whether this browser may look on and do nothing else. */
export function useLooksOn(): boolean {
  return useAdmitted()?.as.kind === "observer";
}
