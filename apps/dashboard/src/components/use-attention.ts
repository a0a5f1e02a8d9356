"use client";

import { useRead } from "@/broker/use-read";

/** The items of the mesh that wait for a human. All callers on a page share one read. */
export function useAttention({ dismissed = false }: { dismissed?: boolean } = {}) {
  return useRead("list_attention", dismissed ? { include_dismissed: true } : {}, {
    on: ["attention", "person"],
  });
}
