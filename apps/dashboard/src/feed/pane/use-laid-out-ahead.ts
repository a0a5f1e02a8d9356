"use client";

import { useCallback, useEffect, useRef } from "react";
import type { FeedRow } from "@/feed/store/feed-rows";
import type { RowRange, TextsAhead } from "./texts-ahead";

/**
 * Lays out the text of messages around the rendered rows in advance, so that scrolling does not wait for it. Returns a
 * function that takes the rows and the rendered range.
 */
export function useLaidOutAhead(): (rows: readonly FeedRow[], drawn: RowRange) => void {
  const texts = useRef<TextsAhead>(undefined);
  useEffect(() => {
    let isGone = false;
    import("./texts-ahead").then(
      ({ TextsAhead }) => {
        if (!isGone) texts.current = new TextsAhead();
      },
      // If the module fails to load, text is laid out when it becomes visible.
      () => undefined,
    );
    return () => {
      isGone = true;
      texts.current?.stop();
    };
  }, []);
  return useCallback((rows, drawn) => texts.current?.lookAround(rows, drawn), []);
}
