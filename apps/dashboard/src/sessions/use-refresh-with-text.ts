import { useEffect, useRef } from "react";
import { useSource } from "./source-context";

/** Reads again when the text has become another one: what is said about places of it goes by the newest. */
export function useRefreshWithText(refresh: () => void): void {
  const { revision } = useSource();
  const read = useRef(revision);
  useEffect(() => {
    if (read.current === revision) return;
    read.current = revision;
    refresh();
  }, [revision, refresh]);
}
