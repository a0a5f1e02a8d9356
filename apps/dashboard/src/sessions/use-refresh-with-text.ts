import { useEffect, useRef } from "react";
import { useSource } from "./source-context";

/** Repeats a read after each change of the text, because positions refer to the newest text. */
export function useRefreshWithText(refresh: () => void): void {
  const { revision } = useSource();
  const read = useRef(revision);
  useEffect(() => {
    if (read.current === revision) return;
    read.current = revision;
    refresh();
  }, [revision, refresh]);
}
