"use client";

import { useCallback, useMemo, useState } from "react";

/** Which entry of the palette Enter is for: what was moved to, else the first, also of those that come in later. */
export function useSelection() {
  const [value, setValue] = useState("");
  const list = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const selectFirst = () => {
      if (element.querySelector('[cmdk-item][aria-selected="true"]')) return;
      setValue(element.querySelector<HTMLElement>("[cmdk-item]")?.dataset["value"] ?? "");
    };
    selectFirst();
    const observer = new MutationObserver(selectFirst);
    observer.observe(element, { subtree: true, childList: true });
    return () => observer.disconnect();
  }, []);
  const props = useMemo(() => ({ value, onValueChange: setValue }), [value]);
  return { list, props };
}
