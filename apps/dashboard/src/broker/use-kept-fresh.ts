import { useEffect } from "react";

/** Reads again at intervals while the page is visible, for data that changes without a hint. */
export function useKeptFresh(refresh: () => void, everyMs = 5_000): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [refresh, everyMs]);
}
