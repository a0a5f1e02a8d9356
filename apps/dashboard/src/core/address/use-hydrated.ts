"use client";

import { useSyncExternalStore } from "react";

/** Whether the page runs in a browser already: before that, it must look as it was exported. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
}
