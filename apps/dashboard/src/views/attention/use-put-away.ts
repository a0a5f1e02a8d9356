"use client";

import { type AttentionItem, sentenceOfItem } from "@merkle/wire";
import { useState } from "react";
import { useCall } from "@/broker/use-call";

/** An item that was taken off one's own list just now, and may be brought back. */
export interface Put {
  readonly item: AttentionItem;
  readonly words: string;
}

export interface PuttingAway {
  readonly last: Put | null;
  /** The words of the last refusal. */
  readonly refusal: string | null;
  /** With `until` it comes back then; without, it is done for oneself. Others still see it. */
  put(item: AttentionItem, until?: Date): void;
  bringBack(item: AttentionItem): void;
}

/** Takes items off one's own list, and back. */
export function usePutAway(onChanged: () => void): PuttingAway {
  const call = useCall();
  const [last, setLast] = useState<Put | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);

  function change(item: AttentionItem, how: { until?: string; undo?: boolean }, then: Put | null): void {
    setRefusal(null);
    call("dismiss_attention", { id: item.id, ...how }).then(
      () => {
        setLast(then);
        onChanged();
      },
      (error: unknown) => {
        // A person who gave no name has changed their mind, and knows it.
        if (!(error instanceof DOMException))
          setRefusal(error instanceof Error ? error.message : String(error));
      },
    );
  }

  return {
    last,
    refusal,
    put(item, until) {
      const words = `${until ? "Snoozed" : "Done"}: ${sentenceOfItem(item)}`;
      change(item, until ? { until: until.toISOString() } : {}, { item, words });
    },
    bringBack: (item) => change(item, { undo: true }, null),
  };
}

export function isPutAway(item: AttentionItem): boolean {
  return item.dismissed || item.snoozed_until !== null;
}
