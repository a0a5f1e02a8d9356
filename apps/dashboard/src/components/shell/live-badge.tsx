"use client";

import type { ConnectionState } from "@merkle/wire/client";
import { useConnectionState } from "@/lib/broker/use-connection-state";
import { cn } from "@/lib/utils";

/** Whether what is shown is what the broker says now. */
export function LiveBadge() {
  const { mark, text } = faceOf(useConnectionState());
  return (
    <span className="inline-flex items-center gap-2 text-sm whitespace-nowrap text-muted-foreground tabular-nums">
      <span aria-hidden className={cn("size-2.5 rounded-full", mark)} />
      {text}
    </span>
  );
}

function faceOf(state: ConnectionState): { mark: string; text: string } {
  switch (state.status) {
    case "connecting":
      return { mark: "border-[1.5px] border-input", text: "Connecting" };
    case "open":
      return { mark: "bg-status-active", text: "Live" };
    case "reconnecting":
    case "closed":
      return { mark: "border-2 border-danger", text: "Offline" };
  }
}
