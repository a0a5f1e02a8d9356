"use client";

import { useAppearance } from "@/core/preferences/use-appearance";

/** Applies changes of theme and density. A script in the page's head applies the initial values. */
export function AppearanceKeeper() {
  useAppearance();
  return null;
}
