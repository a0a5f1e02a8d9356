import { useSyncExternalStore } from "react";
import { isSettled, onSettled } from "./settled";

/** Whether the page shows what it was opened for, so that there is time for what may be wanted next. */
export function useHasSettled(): boolean {
  return useSyncExternalStore(onSettled, isSettled, () => false);
}
