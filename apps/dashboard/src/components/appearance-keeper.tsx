"use client";

import { useAppearance } from "@/lib/appearance/use-appearance";

/** Keeps the page looking as it was chosen. */
export function AppearanceKeeper() {
  useAppearance();
  return null;
}
