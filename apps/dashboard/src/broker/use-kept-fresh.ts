import { useEffect } from "react";

/** Reads again while somebody looks what changes without pages being told. */
export function useKeptFresh(refresh: () => void, everyMs = 5_000): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [refresh, everyMs]);
}
