import { useSyncExternalStore } from "react";
import { isSettled, onSettled } from "./settled";

/** Whether the page has settled, so that there is time to load further parts. */
export function useHasSettled(): boolean {
  return useSyncExternalStore(onSettled, isSettled, () => false);
}
