"use client";

import type { Message } from "@merkle/wire";
import { ChevronRight } from "lucide-react";
import { describeEvent } from "@/lib/feed/describe-event";

export interface EventRunProps {
  readonly messages: readonly Message[];
  readonly onShow: () => void;
}

/** Several comings and goings in one line, which opens. */
export function EventRun({ messages, onShow }: EventRunProps) {
  const [first, second] = messages.map((message) => describeEvent(message).text);
  const rest = messages.length - 2;
  return (
    <button
      type="button"
      aria-expanded={false}
      onClick={onShow}
      className="flex min-h-6 w-full min-w-0 items-baseline gap-2 rounded-md ps-2 pe-13 pointer-coarse:pe-11 text-start text-sm text-muted-foreground hover:bg-raised hover:text-foreground pointer-coarse:min-h-11 pointer-coarse:items-center"
    >
      <ChevronRight aria-hidden className="size-3.5 shrink-0 self-center" />
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {messages.length} system events: {first}, {second}
        {rest > 0 && ` and ${rest} more`}
      </span>
      <span className="shrink-0 text-link">show</span>
    </button>
  );
}
