import { useEffect } from "react";

const everyMs = 5_000;

/** Reads again while somebody looks what changes without pages being told. */
export function useKeptFresh(refresh: () => void): void {
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, everyMs);
    return () => clearInterval(timer);
  }, [refresh]);
}
