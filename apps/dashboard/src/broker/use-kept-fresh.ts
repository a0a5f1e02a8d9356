import { useEffect } from "react";

/** Repeats a read at intervals while the page is visible. For data whose changes the broker does not announce. */
export function useKeptFresh(refresh: () => void, everyMs = 5_000): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [refresh, everyMs]);
}
