import { type RefObject, useEffect, useState } from "react";

/** A number that grows when the layout of an element changes: its text, a loaded part, its width. */
export function usePageChanges(root: RefObject<HTMLElement | null>): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const element = root.current;
    if (!element) return;
    let frame = 0;
    // Once for all that happens before the next frame.
    const tell = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setChanges((count) => count + 1));
    };
    const mutations = new MutationObserver(tell);
    mutations.observe(element, { childList: true, subtree: true, characterData: true });
    const sizes = new ResizeObserver(tell);
    sizes.observe(element);
    return () => {
      cancelAnimationFrame(frame);
      mutations.disconnect();
      sizes.disconnect();
    };
  }, [root]);
  return changes;
}
