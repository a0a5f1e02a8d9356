"use client";

import { useEffect, useRef } from "react";
import { useShortcutRegistry } from "./shortcut-provider";
import type { Shortcut } from "./shortcut-registry";

export interface ShortcutOptions extends Pick<Shortcut, "label" | "group" | "inFields"> {
  /** Left out of keys and list while false. */
  readonly enabled?: boolean;
}

/**
 * Offers a key for as long as the component is there, and lists it in the help: `j`, `?`, `Escape`, `mod+k`, `g s`.
 * If the handler returns false, the key goes to the handler that was registered before it.
 */
export function useShortcut(
  keys: string,
  handler: (event: KeyboardEvent) => unknown,
  { label, group, inFields = false, enabled = true }: ShortcutOptions,
): void {
  const registry = useShortcutRegistry();
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  useEffect(() => {
    if (!enabled) return;
    return registry.addShortcut({ keys, label, group, inFields, run: (event) => latest.current(event) });
  }, [registry, keys, label, group, inFields, enabled]);
}
