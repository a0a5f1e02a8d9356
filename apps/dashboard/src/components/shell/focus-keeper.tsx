"use client";

import { useEffect } from "react";

/** Sees to it that the focus is never lost, on whatever page; loaded after the page, which can do without it for so long. */
export function FocusKeeper() {
  useEffect(() => {
    let stop: (() => void) | undefined;
    let isGone = false;
    import("@/lib/focus/keep-focus").then(
      ({ keepFocus }) => {
        if (!isGone) stop = keepFocus(document);
      },
      // Without it the browser does what it always does.
      () => undefined,
    );
    return () => {
      isGone = true;
      stop?.();
    };
  }, []);
  return null;
}
