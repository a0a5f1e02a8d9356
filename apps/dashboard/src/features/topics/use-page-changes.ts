import { type RefObject, useEffect, useState } from "react";

/** Returns a number that grows when an element's layout changes, for example because its text or width changed. */
export function usePageChanges(root: RefObject<HTMLElement | null>): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    let frame = 0;
    // Combines all changes before the next frame into one update.
    const scheduleUpdate = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setChanges((count) => count + 1));
    };
    const mutations = new MutationObserver(scheduleUpdate);
    mutations.observe(element, { childList: true, subtree: true, characterData: true });
    const sizes = new ResizeObserver(scheduleUpdate);
    sizes.observe(element);
    return () => {
      cancelAnimationFrame(frame);
      mutations.disconnect();
      sizes.disconnect();
    };
  }, [root]);
  return changes;
}
