"use client";

import { Bell, LayoutList, Settings2 } from "lucide-react";
import type { NavItem } from "@/parts/feature";
import { useFeatures } from "@/parts/features-context";

const leadingItems: readonly NavItem[] = [
  { href: "/", label: "Sessions", Icon: LayoutList, letter: "s", visibility: "always" },
  { href: "/needs-you", label: "Needs you", Icon: Bell, letter: "n", visibility: "always" },
];
export const settingsItem: NavItem = {
  href: "/settings",
  label: "Settings",
  Icon: Settings2,
  visibility: "always",
};

/** Returns all pages in the navigation: the core's, then those of features in their order, then the settings. */
export function useNavItems(): readonly NavItem[] {
  return [...leadingItems, ...useFeatureNavItems(), settingsItem];
}

export function useFeatureNavItems(): readonly NavItem[] {
  return useFeatures().flatMap(({ navItems = [] }) => navItems);
}
