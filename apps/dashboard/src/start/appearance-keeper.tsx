"use client";

import { useAppearance } from "@/core/preferences/use-appearance";

/** Keeps the page looking as it was chosen. */
export function AppearanceKeeper() {
  useAppearance();
  return null;
}
