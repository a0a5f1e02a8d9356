"use client";

import { type AttentionItem, formatItemSentence } from "@merkle/wire";
import { useState } from "react";
import { useCall } from "@/broker/use-call";

/** An item that was just snoozed or marked done, and can be restored. */
export interface HiddenItem {
  readonly item: AttentionItem;
  readonly text: string;
}

export interface HideItemActions {
  readonly last: HiddenItem | null;
  /** The message of the last refused call. */
  readonly refusal: string | null;
  /** Snoozes the item until the given time, or marks it done if no time is given. Others still see the item. */
  hide(item: AttentionItem, until?: Date): void;
  restore(item: AttentionItem): void;
}

/** Returns functions that hide items from the person's list, and restore them. */
export function usePutAway(onChanged: () => void): HideItemActions {
  const call = useCall();
  const [last, setLast] = useState<HiddenItem | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);

  function change(
    item: AttentionItem,
    options: { until?: string; undo?: boolean },
    next: HiddenItem | null,
  ): void {
    setRefusal(null);
    call("dismiss_attention", { id: item.id, ...options }).then(
      () => {
        setLast(next);
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
    hide(item, until) {
      const text = `${until ? "Snoozed" : "Done"}: ${formatItemSentence(item)}`;
      change(item, until ? { until: until.toISOString() } : {}, { item, text });
    },
    restore: (item) => change(item, { undo: true }, null),
  };
}

export function isHidden(item: AttentionItem): boolean {
  return item.dismissed || item.snoozed_until !== null;
}
