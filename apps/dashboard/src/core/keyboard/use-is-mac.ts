import { useHydrated } from "@/core/address/use-hydrated";

/** Whether this keyboard has ⌘ in place of Ctrl. */
export function useIsMac(): boolean {
  return useHydrated() && /Mac|iPhone|iPad/.test(navigator.platform);
}
