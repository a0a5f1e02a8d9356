import { type RefObject, useEffect, useState } from "react";

/** Whether an element has so many pixels of width; null until that is known. */
export function useIsWide(element: RefObject<HTMLElement | null>, fromPx: number): boolean | null {
  const [isWide, setWide] = useState<boolean | null>(null);
  useEffect(() => {
    const box = element.current;
    if (!box) return;
    const sizes = new ResizeObserver(() => setWide(box.clientWidth >= fromPx));
    sizes.observe(box);
    return () => sizes.disconnect();
  }, [element, fromPx]);
  return isWide;
}
