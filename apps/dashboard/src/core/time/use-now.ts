"use client";

import { useCallback, useSyncExternalStore } from "react";
import { currentTime, onTick } from "./clock";

/** Something made of the present time; drawn again only when it has become something else. */
export function useAtNow<T extends string | number | boolean>(describe: (now: number) => T): T {
  const snapshot = useCallback(() => describe(currentTime()), [describe]);
  return useSyncExternalStore(onTick, snapshot, snapshot);
}
