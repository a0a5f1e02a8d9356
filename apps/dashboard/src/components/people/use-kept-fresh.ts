import { useEffect } from "react";

const everyMs = 5_000;

/** Reads again while somebody looks: what others use up, join by or end here is no change that is told to pages. */
export function useKeptFresh(refresh: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [refresh]);
}
