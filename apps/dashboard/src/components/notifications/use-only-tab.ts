"use client";

import { useEffect, useState } from "react";

/** Whether this tab is the one of this browser that holds a name; when it closes, another gets it. */
export function useOnlyTab(name: string, wanted: boolean): boolean {
  const [holds, setHolds] = useState(false);
  useEffect(() => {
    if (!wanted || !("locks" in navigator)) return;
    const ended = new AbortController();
    navigator.locks
      .request(name, { signal: ended.signal }, () => {
        setHolds(true);
        return new Promise<void>((release) => ended.signal.addEventListener("abort", () => release()));
      })
      .catch(() => undefined); // It was given up before it was ours.
    return () => {
      ended.abort();
      setHolds(false);
    };
  }, [name, wanted]);
  return holds;
}
