"use client";

import { useCallback, useEffect, useRef } from "react";
import type { FeedRow } from "@/feed/store/feed-rows";
import type { RowRange, TextsAhead } from "./texts-ahead";

/**
 * Has the texts around the rows that are drawn laid out ahead, so that scrolling finds them done. Returns the way to say which
 * are drawn.
 */
export function useLaidOutAhead(): (rows: readonly FeedRow[], drawn: RowRange) => void {
  const texts = useRef<TextsAhead>(undefined);
  useEffect(() => {
    let isGone = false;
    import("./texts-ahead").then(
      ({ TextsAhead }) => {
        if (!isGone) texts.current = new TextsAhead();
      },
      // Without it, texts are laid out when they come into view.
      () => undefined,
    );
    return () => {
      isGone = true;
      texts.current?.stop();
    };
  }, []);
  return useCallback((rows, drawn) => texts.current?.lookAround(rows, drawn), []);
}
