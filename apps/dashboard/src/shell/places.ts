"use client";

import { Bell, LayoutList, Settings2 } from "lucide-react";
import type { Place } from "@/parts/feature";
import { useFeatures } from "@/parts/features-context";

const first: readonly Place[] = [
  { href: "/", label: "Sessions", Icon: LayoutList, letter: "s", shown: "always" },
  { href: "/needs-you", label: "Needs you", Icon: Bell, letter: "n", shown: "always" },
];
export const settings: Place = { href: "/settings", label: "Settings", Icon: Settings2, shown: "always" };

/** Returns all pages in the navigation: the core's, then those of features in their order, then the settings. */
export function usePlaces(): readonly Place[] {
  return [...first, ...usePlacesOfFeatures(), settings];
}

export function usePlacesOfFeatures(): readonly Place[] {
  return useFeatures().flatMap(({ places = [] }) => places);
}
