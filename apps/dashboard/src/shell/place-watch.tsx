"use client";

import { usePathname } from "next/navigation";
import { useEffect } from "react";
import { useIsGuest, usePerson } from "@/identity/use-person";
import { ContentProbeReader } from "@/parts/content-probe-reader";
import type { NavItem } from "@/parts/feature";

export interface PlaceWatchProps {
  readonly places: readonly NavItem[];
  readonly onUsed: (href: string) => void;
}

/** Detects the first use of each page in the navigation. */
export function PlaceWatch({ places, onUsed }: PlaceWatchProps) {
  const { person } = usePerson();
  const isHuman = !useIsGuest() && person !== null;
  const pathname = usePathname();
  useEffect(() => {
    if (places.some(({ href, isUsedByVisit: byVisit }) => byVisit && href === pathname)) onUsed(pathname);
  });
  return places.map(
    ({ href, probe }) =>
      probe &&
      (isHuman || !probe.needsHuman) && (
        <ContentProbeReader key={href} probe={probe} onFound={() => onUsed(href)} />
      ),
  );
}
