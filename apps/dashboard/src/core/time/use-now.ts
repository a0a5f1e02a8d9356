"use client";

import { useCallback, useSyncExternalStore } from "react";
import { onTick, readTime } from "./clock";

/** Returns a value derived from the current time. The component renders again only when the value changes. */
export function useAtNow<T extends string | number | boolean>(describe: (now: number) => T): T {
  const snapshot = useCallback(() => describe(readTime()), [describe]);
  return useSyncExternalStore(onTick, snapshot, snapshot);
}
