"use client";

import { useRead } from "@/broker/use-read";

/** Reads all that waits for a human in the whole mesh; everybody on a page who asks shares one read. */
export function useAttention({ dismissed = false }: { dismissed?: boolean } = {}) {
  return useRead("list_attention", dismissed ? { include_dismissed: true } : {}, {
    on: ["attention", "person"],
  });
}
