"use client";

import { useEffect, useRef } from "react";
import { useShortcutRegistry } from "./shortcut-provider";
import type { Shortcut } from "./shortcut-registry";

export interface ShortcutOptions extends Pick<Shortcut, "label" | "group" | "inFields"> {
  /** While false, the shortcut is inactive and not listed in the help. */
  readonly enabled?: boolean;
}

/**
 * Registers a shortcut such as `j`, `?`, `Escape`, `mod+k` or `g s` while the component is mounted, and lists it in the help. If
 * the handler returns false, the previously registered handler gets the key.
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
