"use client";

import { useAppearance } from "@/core/preferences/use-appearance";

/** Applies a changed theme or density. A script in the page's head applies those that were chosen before. */
export function AppearanceKeeper() {
  useAppearance();
  return null;
}
