"use client";

import { useEffect, useRef } from "react";
import { useShortcutRegistry } from "./shortcut-provider";
import type { PaletteAction } from "./shortcut-registry";

/** Adds an action to the command palette while the component is mounted. Null adds no action. */
export function usePaletteAction(action: PaletteAction | null): void {
  const registry = useShortcutRegistry();
  const latest = useRef(action);
  useEffect(() => {
    latest.current = action;
  });
  const { id, label, keywords } = action ?? {};
  const keywordText = keywords?.join(" ");
  useEffect(() => {
    if (id === undefined || label === undefined) return;
    return registry.addAction({
      id,
      label,
      keywords: keywordText === undefined ? [] : keywordText.split(" "),
      run: () => latest.current?.run(),
    });
  }, [registry, id, label, keywordText]);
}
