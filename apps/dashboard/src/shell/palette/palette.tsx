"use client";

import { use } from "react";
import type { Feature, PalettePart } from "@/parts/feature";
import { useFeatures } from "@/parts/features-context";
import { type CommandPaletteProps, CommandPalette as Palette } from "./command-palette";
import { type PaletteAheadProps, PaletteAhead as ReadAhead } from "./use-palette-entries";

let parts: Promise<readonly PalettePart[]> | undefined;

/** Loads the parts that features add, once per page. A part that fails to load is left out. */
function loadParts(features: readonly Feature[]): Promise<readonly PalettePart[]> {
  parts ??= Promise.all(
    features.map(
      ({ loadPalette: palette }) => palette?.().catch((): PalettePart => ({})) ?? ({} as PalettePart),
    ),
  );
  return parts;
}

/** Returns the parts that features add. Suspends until they are loaded. */
export function usePaletteParts(): readonly PalettePart[] {
  return use(loadParts(useFeatures()));
}

export function CommandPalette(props: Omit<CommandPaletteProps, "parts">) {
  return <Palette {...props} parts={usePaletteParts()} />;
}

export function PaletteAhead(props: Omit<PaletteAheadProps, "parts">) {
  return <ReadAhead {...props} parts={usePaletteParts()} />;
}
