"use client";

import { useSyncExternalStore } from "react";

/** Returns false during hydration, when the page must render exactly as exported, and true afterwards. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
}
