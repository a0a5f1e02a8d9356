"use client";

import { useEffect, useMemo, useSyncExternalStore } from "react";
import { useRead } from "@/broker/use-read";
import { useShortcutRegistry } from "@/core/keyboard/shortcut-provider";
import type { NavItem, PaletteEntry, PalettePart } from "@/parts/feature";
import { knownSessions } from "@/sessions/known-title";
import { useNavItems } from "../nav-items";
import { toEntries } from "./palette-entries";

/** Returns the cached entries of the palette, or null before the first read. Opening the palette reads them again. */
export function usePaletteEntries(parts: readonly PalettePart[]): readonly PaletteEntry[] | null {
  const { data: sessions, problem } = useRead("list_sessions", knownSessions);
  // biome-ignore lint/correctness/useHookAtTopLevel: the list of parts never changes.
  const featureEntries = parts.flatMap(({ useEntries }) => useEntries?.() ?? []);
  const coreEntries = useMemo(() => toEntries(sessions?.sessions ?? []), [sessions]);
  return sessions === undefined && problem === undefined ? null : [...coreEntries, ...featureEntries];
}

/** Returns an entry for each action of the page. */
export function useActionEntries(): readonly PaletteEntry[] {
  const registry = useShortcutRegistry();
  const actions = useSyncExternalStore(
    (listener) => registry.onChange(listener),
    () => registry.actions,
  );
  return actions.map(
    ({ id, label, keywords = [], run }): PaletteEntry => ({
      key: `action ${id}`,
      kind: "action",
      label,
      note: "",
      keywords,
      run,
    }),
  );
}

/** Returns an entry for each page of the navigation. */
export function usePlaceEntries(): readonly PaletteEntry[] {
  return useNavItems().map(toEntry);
}

function toEntry({ href, label, title = label }: NavItem): PaletteEntry {
  return { key: `page ${href}`, kind: "page", label: title, note: "", href };
}

export interface PaletteAheadProps {
  readonly parts: readonly PalettePart[];
  readonly onRead: () => void;
}

/** Reads the entries before the palette is first opened. */
export function PaletteAhead({ parts, onRead }: PaletteAheadProps) {
  const isRead = usePaletteEntries(parts) !== null;
  useEffect(() => {
    if (isRead) onRead();
  }, [isRead, onRead]);
  return null;
}
