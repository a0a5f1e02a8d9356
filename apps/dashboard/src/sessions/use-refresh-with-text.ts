import { useEffect, useRef } from "react";
import { useSource } from "./source-context";

/** Reads again after a change of the text: places in it refer to the newest state. */
export function useRefreshWithText(refresh: () => void): void {
  const { revision } = useSource();
  const read = useRef(revision);
  useEffect(() => {
    if (read.current === revision) return;
    read.current = revision;
    refresh();
  }, [revision, refresh]);
}
