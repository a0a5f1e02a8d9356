"use client";

import { type AttentionItem, isQuestion } from "@merkle/wire";
import { useEffect, useRef } from "react";
import { useAttention } from "@/components/use-attention";
import type { Announcement } from "@/core/announcer/announcer";
import { useAnnounce } from "@/core/announcer/announcer-provider";
import { isInFront } from "@/sessions/front-session";
import { toNotice } from "./notice";

/** With more new items than this, only their number is announced. */
const describedItemsMax = 3;

/** Announces to screen readers what begins to wait for this person, in all sessions. */
export function AttentionAnnouncer() {
  const { data } = useAttention();
  const announce = useAnnounce();
  const knownIds = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (!data) return;
    const items = data.items.filter(({ needs_person }) => needs_person);
    // Items that existed when the page was opened are not new.
    const known = knownIds.current ?? new Set(items.map(({ id }) => id));
    knownIds.current = new Set(items.map(({ id }) => id));
    if (document.visibilityState === "hidden") return;
    for (const announcement of toAnnouncements(items.filter(({ id }) => !known.has(id))))
      announce(announcement);
  }, [data, announce]);
  return null;
}

function toAnnouncements(items: readonly AttentionItem[]): readonly Announcement[] {
  // The feed of the session in front announces its own asks.
  const others = items.filter((item) => !isQuestion(item) || !isInFront(toNotice(item)));
  if (others.length > describedItemsMax)
    return [{ kind: "note", text: `${others.length} new items need you` }];
  return others.map((item) => {
    const { title, body } = toNotice(item);
    return { kind: isQuestion(item) ? "ask" : "note", text: `${body}, in ${title}` };
  });
}
