import { useHydrated } from "@/core/address/use-hydrated";

/** Returns whether this keyboard has ⌘ instead of Ctrl. */
export function useIsMac(): boolean {
  return useHydrated() && /Mac|iPhone|iPad/.test(navigator.platform);
}
