import { describeClock } from "@/lib/clock";
import type { Polled } from "@/lib/use-polled";
import { cn } from "@/lib/utils";

/** Whether what is shown is what the broker says now. */
export function LiveBadge({ state }: { state: Polled<unknown> }) {
  const { mark, text } = faceOf(state);
  return (
    <span className="inline-flex items-center gap-2 text-sm whitespace-nowrap text-muted-foreground tabular-nums">
      <span aria-hidden className={cn("size-2.5 rounded-full", mark)} />
      {text}
    </span>
  );
}

function faceOf(state: Polled<unknown>): { mark: string; text: string } {
  switch (state.status) {
    case "loading":
      return { mark: "border-[1.5px] border-input", text: "Connecting" };
    case "ready":
      return { mark: "bg-[#16803c] dark:bg-[#4ade80]", text: "Live" };
    case "failed":
      return { mark: "border-2 border-danger", text: `Offline since ${describeClock(state.since)}` };
  }
}
