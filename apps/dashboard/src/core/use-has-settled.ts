import { useSyncExternalStore } from "react";
import { isSettled, onSettled } from "./settled";

/** Returns whether the page has settled, so that further parts can load. */
export function useHasSettled(): boolean {
  return useSyncExternalStore(onSettled, isSettled, () => false);
}
