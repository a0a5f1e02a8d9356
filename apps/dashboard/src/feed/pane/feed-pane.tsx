"use client";

import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyPart } from "@/core/lazy-part";
import { isFiltered } from "@/feed/store/feed-filter";
import type { FeedPosition, FeedStore } from "@/feed/store/feed-store";
import { countHidden } from "@/feed/store/feed-window";
import { describeTitle, findThreads } from "@/feed/store/threads";
import { Parts, useHasPart } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";
import { FeedBody } from "./feed-body";
import { clearFilter, FilterBar } from "./filter-bar";
import { useReplay } from "./replay-context";
import { useFeedFilter, useLinkedSequence } from "./use-feed-filter";
import { useFeedState, useFeedStore } from "./use-feed-store";
import { useReading } from "./use-reading";

const FindHint = lazyPart(() => import("./find-hint"), "FindHint");
const UnreadBar = lazyPart(
  () => import("./unread-bar"),
  "UnreadBar",
  <div className="h-9 border-b bg-highlight" />,
);
const ThreadBar = lazyPart(
  () => import("./thread-bar"),
  "ThreadBar",
  <div className="h-8.25 border-b pointer-coarse:h-11.25" />,
);

/** The session's feed: the filters, a note about unread messages, and the messages. */
export function FeedPane({ tools }: { readonly tools?: ReactNode }) {
  const { session, at: asOf } = useSession();
  const at = useReplay().toAnchor(asOf);
  const { session_id, last_read, unread } = session;
  const filter = useFeedFilter();
  const linkedSequence = useLinkedSequence();
  const reading = useReading();
  const findField = useRef<HTMLInputElement>(null);
  const [isCatchingUp, setCatchingUp] = useState(false);
  const [isFilterOpen, setFilterOpen] = useState(false);

  const { store, key } = useFeedStore({ sessionId: session_id, filter, at }, choosePosition);
  const state = useFeedState(store);

  const { messages } = state.window;
  const threads = useMemo(() => findThreads(messages), [messages]);
  const threadsByRoot = useMemo(() => new Map(threads.map((thread) => [thread.root, thread])), [threads]);
  const [first] = messages;
  const title = filter.thread === null ? null : describeTitle(first, filter.thread);

  const lastOpened = useRef<{ store: FeedStore; at: string | null; asked: number | null }>(null);

  /**
   * Returns where the feed opens: at the message that the URL names, or where the reader was before the filter changed.
   * Otherwise at the first unread message, or at the end if that message is too far back.
   */
  function choosePosition(): FeedPosition {
    const before = lastOpened.current;
    lastOpened.current = { store, at, asked: linkedSequence };
    if (before?.at === at && before.asked === linkedSequence && before.store !== store) {
      return { at: before.store.reading?.sequence ?? "end", as: "kept" };
    }
    if (linkedSequence !== null) return { at: linkedSequence, as: "asked" };
    if (reading.readUpTo === null || !unread || reading.isFarBehind) return { at: "end", as: "kept" };
    return { at: reading.readUpTo + 1, as: "unread" };
  }

  useEffect(() => {
    const { status, place } = store.getState();
    if (linkedSequence !== null && (status !== "opening" || place !== null))
      void store.open({ at: linkedSequence, as: "asked" });
  }, [store, linkedSequence]);

  function goToUnread(): void {
    reading.resumeMarking();
    void store.open({ at: (last_read ?? 0) + 1, as: "unread" });
  }

  function openFindField(): void {
    // The find field must be visible before it can receive the focus.
    flushSync(() => setFilterOpen(true));
    findField.current?.focus();
  }

  useShortcut("u", goToUnread, { label: "First unread message", group: "Feed", enabled: last_read !== null });
  useShortcut("/", openFindField, { label: "Find in feed", group: "Feed" });
  useShortcut(
    "Escape",
    () => {
      if (isCatchingUp) setCatchingUp(false);
      else if (isFiltered(filter)) clearFilter();
      else return false;
      return true;
    },
    { label: "Clear filter", group: "Feed" },
  );

  const startCatchUp = () => setCatchingUp(true);
  const canCatchUp = useHasPart(({ session: parts }) => parts?.CatchUp);
  const catchUp = canCatchUp && last_read !== null && at === null ? startCatchUp : null;
  useShortcut("b", startCatchUp, {
    label: "Since your last visit",
    group: "Feed",
    enabled: catchUp !== null,
  });
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <FilterBar
        filter={filter}
        hiddenCount={countHidden(state.window)}
        threads={threads}
        title={title}
        findField={findField}
        tools={tools}
        isOpen={isFilterOpen}
        onOpen={setFilterOpen}
      />
      {title !== null && <ThreadBar title={title} count={messages.length} />}
      <FindHint />

      {reading.isFarBehind && (
        <UnreadBar
          count={unread ?? 0}
          onFirst={goToUnread}
          onCatchUp={startCatchUp}
          onRead={() => void reading.markAll()}
        />
      )}
      {isCatchingUp && (
        <Parts
          select={({ session: parts }) => parts?.CatchUp}
          given={{ since: reading.readUpTo ?? 0, onClose: () => setCatchingUp(false) }}
        />
      )}
      <FeedBody
        key={key}
        store={store}
        state={state}
        filter={filter}
        linkedSequence={linkedSequence}
        reading={reading}
        onCatchUp={catchUp}
        canFold={!isFiltered(filter)}
        threads={threadsByRoot}
      />
    </div>
  );
}
