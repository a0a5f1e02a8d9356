"use client";

import { useRead } from "@/broker/use-read";

/** Reads the items that wait for a human. All callers on a page share one read. */
export function useAttention({ dismissed = false }: { dismissed?: boolean } = {}) {
  return useRead("list_attention", dismissed ? { include_dismissed: true } : {}, {
    on: ["attention", "person"],
  });
}
