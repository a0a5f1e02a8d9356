"use client";

import { type AttentionItem, sentenceOfItem } from "@merkle/wire";
import { useState } from "react";
import { useCall } from "@/broker/use-call";

/** An item that was just snoozed or marked done, and can be restored. */
export interface HiddenItem {
  readonly item: AttentionItem;
  readonly words: string;
}

export interface HideItemActions {
  readonly last: HiddenItem | null;
  /** The message of the last refused call. */
  readonly refusal: string | null;
  /** Snoozes the item until the given time, or marks it done if no time is given. Others still see the item. */
  put(item: AttentionItem, until?: Date): void;
  bringBack(item: AttentionItem): void;
}

/** Returns functions that hide items from the person's list, and restore them. */
export function usePutAway(onChanged: () => void): HideItemActions {
  const call = useCall();
  const [last, setLast] = useState<HiddenItem | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);

  function change(
    item: AttentionItem,
    how: { until?: string; undo?: boolean },
    then: HiddenItem | null,
  ): void {
    setRefusal(null);
    call("dismiss_attention", { id: item.id, ...how }).then(
      () => {
        setLast(then);
        onChanged();
      },
      (error: unknown) => {
        // The person declined to enter a name, so there is no error to show.
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
