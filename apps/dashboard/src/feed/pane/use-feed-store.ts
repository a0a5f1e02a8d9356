"use client";

import { useEffect, useMemo, useSyncExternalStore } from "react";
import { useBroker } from "@/broker/use-broker";
import { type FeedView, toFeedSource } from "@/feed/store/feed-source";
import { type FeedPosition, type FeedState, FeedStore } from "@/feed/store/feed-store";
import { useEarlyPage } from "./early-page-context";
import { useReplay } from "./replay-context";

/** Creates the store for a view of the feed and opens it. A different view gets a different store and key. */
export function useFeedStore(view: FeedView, openAt: () => FeedPosition): { store: FeedStore; key: string } {
  const broker = useBroker();
  const early = useEarlyPage();
  const replay = useReplay();
  const key = JSON.stringify(view);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is made of the view, so the same key is the same view.
  const store = useMemo(
    () => new FeedStore({ source: toFeedSource(broker, view, early, replay) }),
    [broker, key],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: where it opens is asked once, when it opens.
  useEffect(() => {
    void store.open(openAt());
    return () => store.stop();
  }, [store]);
  return { store, key };
}

export function useFeedState(store: FeedStore): FeedState {
  return useSyncExternalStore(store.subscribe, store.getState, store.getState);
}
