"use client";

import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from "react";

/** The entry that Enter opens: the first, also when better entries come in later, until the person moves to another. */
export function useSelection() {
  const [value, setValue] = useState("");
  const isMovedTo = useRef(false);
  const list = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const selectFirst = () => {
      if (isMovedTo.current && element.querySelector('[cmdk-item][aria-selected="true"]')) return;
      setValue(element.querySelector<HTMLElement>("[cmdk-item]")?.dataset["value"] ?? "");
    };
    selectFirst();
    const observer = new MutationObserver(selectFirst);
    observer.observe(element, { subtree: true, childList: true });
    return () => observer.disconnect();
  }, []);
  const props = useMemo(() => {
    const move = () => {
      isMovedTo.current = true;
    };
    return {
      value,
      onValueChange: setValue,
      onPointerMove: move,
      onKeyDown: (event: KeyboardEvent) => (isMove(event) ? move() : undefined),
    };
  }, [value]);
  /** Other words find other entries, of which the first is meant again. */
  const startOver = useCallback(() => {
    isMovedTo.current = false;
  }, []);
  return { list, props, startOver };
}

/** The keys by which entries are moved to; with Ctrl also letters are. */
function isMove({ key, ctrlKey }: KeyboardEvent): boolean {
  return ctrlKey || ["ArrowDown", "ArrowUp", "Home", "End"].includes(key);
}
