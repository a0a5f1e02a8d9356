"use client";

import { type AttentionItem, formatItemSentence } from "@merkle/wire";
import { useState } from "react";
import { useCall } from "@/broker/use-call";

/** Items that were just snoozed or marked done, and can be restored. */
export interface HiddenItems {
  readonly items: readonly AttentionItem[];
  readonly text: string;
}

export interface HideItemActions {
  readonly last: HiddenItems | null;
  /** The message of the last refused call. */
  readonly refusal: string | null;
  /** Snoozes the items until the given time, or marks them done if no time is given. Others still see them. */
  hide(items: readonly AttentionItem[], until?: Date): void;
  restore(items: readonly AttentionItem[]): void;
}

/** Returns functions that hide items from the person's list, and restore them. */
export function usePutAway(onChanged: () => void): HideItemActions {
  const call = useCall();
  const [last, setLast] = useState<HiddenItems | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);

  function change(
    [first, ...others]: readonly AttentionItem[],
    options: { until?: string; undo?: boolean },
    next: HiddenItems | null,
  ): void {
    if (!first) return;
    setRefusal(null);
    const more = others.length > 0 ? { others: others.map(({ id }) => id) } : {};
    call("dismiss_attention", { id: first.id, ...more, ...options }).then(
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
    hide(items, until) {
      const [first, ...others] = items;
      if (!first) return;
      const what = others.length > 0 ? `${items.length} items` : formatItemSentence(first);
      const text = `${until ? "Snoozed" : "Done"}: ${what}`;
      change(items, until ? { until: until.toISOString() } : {}, { items, text });
    },
    restore: (items) => change(items, { undo: true }, null),
  };
}

export function isHidden(item: AttentionItem): boolean {
  return item.dismissed || item.snoozed_until !== null;
}
