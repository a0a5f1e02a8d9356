"use client";

import { useCallback, useEffect, useRef } from "react";
import type { FeedRow } from "@/feed/store/feed-rows";
import type { MarkdownPrerenderer, RowRange } from "./markdown-prerenderer";

/**
 * Lays out the text of messages around the rendered rows in advance, so that scrolling does not wait for it. Returns a
 * function that takes the rows and the rendered range.
 */
export function useMarkdownPrerendering(): (rows: readonly FeedRow[], visible: RowRange) => void {
  const prerenderer = useRef<MarkdownPrerenderer>(undefined);
  useEffect(() => {
    let isUnmounted = false;
    import("./markdown-prerenderer").then(
      ({ MarkdownPrerenderer }) => {
        if (!isUnmounted) prerenderer.current = new MarkdownPrerenderer();
      },
      // If the module fails to load, text is laid out when it becomes visible.
      () => undefined,
    );
    return () => {
      isUnmounted = true;
      prerenderer.current?.stop();
    };
  }, []);
  return useCallback((rows, visible) => prerenderer.current?.renderAround(rows, visible), []);
}
