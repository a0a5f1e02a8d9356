"use client";

import { useAppearance } from "@/core/preferences/use-appearance";

/** Keeps the page looking as it was chosen. */
export function AppearanceController() {
  useAppearance();
  return null;
}
