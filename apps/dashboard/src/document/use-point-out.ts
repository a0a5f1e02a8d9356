import { type RefObject, useCallback, useEffect, useState } from "react";

/** How long a highlight is visible: long enough to find, short enough not to distract. */
const shownMs = 3_000;

const noKeys: ReadonlySet<string> = new Set();

/** Highlights parts of the document for a moment, and scrolls to the first. */
export function usePointOut(scroller: RefObject<HTMLElement | null>): {
  pointedOut: ReadonlySet<string>;
  pointOut: (keys: ReadonlySet<string>) => void;
} {
  const [pointedOut, setPointedOut] = useState(noKeys);

  useEffect(() => {
    if (pointedOut.size === 0) return;
    const timer = setTimeout(() => setPointedOut(noKeys), shownMs);
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

/** Scrolls a part to the top and moves the focus there. */
export function goToPart(scroller: HTMLElement | null, key: string): void {
  const part = scroller?.querySelector<HTMLElement>(`[data-part="${CSS.escape(key)}"]`);
  if (!part) return;
  part.scrollIntoView({ block: "start" });
  part.focus({ preventScroll: true });
}
