"use client";

import { useEffect } from "react";
import { useAttention } from "@/components/attention/use-attention";

/** Names the tab, with how much waits for a human in front. */
export function useDocumentTitle(title: string): void {
  const { data } = useAttention();
  const waiting = data?.total ?? 0;
  useEffect(() => {
    const wanted = `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Merkle`;
    const keep = () => {
      if (document.title !== wanted) document.title = wanted;
    };
    keep();
    // The exported page brings a title of its own, which may arrive later.
    const observer = new MutationObserver(keep);
    observer.observe(document.head, { subtree: true, childList: true, characterData: true });
    return () => observer.disconnect();
  }, [title, waiting]);
}
