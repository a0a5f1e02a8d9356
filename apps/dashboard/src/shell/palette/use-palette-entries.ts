"use client";

import { useEffect, useMemo } from "react";
import { useRead } from "@/broker/use-read";
import type { PaletteEntry, PalettePart } from "@/parts/feature";
import { knownSessions } from "@/sessions/known-title";
import { toEntries } from "./palette-entries";

/** Returns the cached entries of the palette, or null before the first read. Opening the palette reads them again. */
export function usePaletteEntries(parts: readonly PalettePart[]): readonly PaletteEntry[] | null {
  const { data: sessions, problem } = useRead("list_sessions", knownSessions);
  // biome-ignore lint/correctness/useHookAtTopLevel: the list of parts never changes.
  const featureEntries = parts.flatMap(({ useEntries }) => useEntries?.() ?? []);
  const coreEntries = useMemo(() => toEntries(sessions?.sessions ?? []), [sessions]);
  return sessions === undefined && problem === undefined ? null : [...coreEntries, ...featureEntries];
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
