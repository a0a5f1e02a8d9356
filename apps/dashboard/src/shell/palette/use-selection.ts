"use client";

import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from "react";

/**
 * Tracks the entry that Enter opens. This is always the first entry in the list, until the person moves the selection.
 */
export function useSelection() {
  const [value, setValue] = useState("");
  const hasMoved = useRef(false);
  const list = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const selectFirst = () => {
      if (hasMoved.current && element.querySelector('[cmdk-item][aria-selected="true"]')) return;
      setValue(element.querySelector<HTMLElement>("[cmdk-item]")?.dataset["value"] ?? "");
    };
    selectFirst();
    const observer = new MutationObserver(selectFirst);
    observer.observe(element, { subtree: true, childList: true });
    return () => observer.disconnect();
  }, []);
  const props = useMemo(() => {
    const move = () => {
      hasMoved.current = true;
    };
    return {
      value,
      onValueChange: setValue,
      onPointerMove: move,
      onKeyDown: (event: KeyboardEvent) => (isMove(event) ? move() : undefined),
    };
  }, [value]);
  /** Selects the first entry again. Called when the query changes. */
  const startOver = useCallback(() => {
    hasMoved.current = false;
  }, []);
  return { list, props, startOver };
}

/** True for keys that move the selection. With Ctrl, letters do as well. */
function isMove({ key, ctrlKey }: KeyboardEvent): boolean {
  return ctrlKey || ["ArrowDown", "ArrowUp", "Home", "End"].includes(key);
}
