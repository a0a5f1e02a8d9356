import { type RefObject, useCallback, useEffect, useState } from "react";

/** Long enough to find it, short enough not to be in the way. */
const shownMs = 3_000;

const none: ReadonlySet<string> = new Set();

/** Points out parts of the document: scrolls to the first, and marks all for a moment. */
export function usePointOut(scroller: RefObject<HTMLElement | null>): {
  pointedOut: ReadonlySet<string>;
  pointOut: (keys: ReadonlySet<string>) => void;
} {
  const [pointedOut, setPointedOut] = useState(none);

  useEffect(() => {
    if (pointedOut.size === 0) return;
    const timer = setTimeout(() => setPointedOut(none), shownMs);
    return () => clearTimeout(timer);
  }, [pointedOut]);

  const pointOut = useCallback(
    (keys: ReadonlySet<string>) => {
      setPointedOut(keys);
      const [first] = keys;
      if (first !== undefined) goToPart(scroller.current, first);
    },
    [scroller],
  );
  return { pointedOut, pointOut };
}

/** Brings a part to the top, and the keyboard with it. */
export function goToPart(scroller: HTMLElement | null, key: string): void {
  const part = scroller?.querySelector<HTMLElement>(`[data-part="${CSS.escape(key)}"]`);
  if (!part) return;
  part.scrollIntoView({ block: "start" });
  part.focus({ preventScroll: true });
}
