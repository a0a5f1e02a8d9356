"use client";

import { usePathname } from "next/navigation";
import { useEffect } from "react";
import { useIsGuest, usePerson } from "@/identity/use-person";
import type { Place } from "@/parts/feature";
import { Looking } from "@/parts/looking";

export interface PlaceWatchProps {
  readonly places: readonly Place[];
  readonly onUsed: (href: string) => void;
}

/** Detects the first use of each page in the navigation. */
export function PlaceWatch({ places, onUsed }: PlaceWatchProps) {
  const { person } = usePerson();
  const isHuman = !useIsGuest() && person !== null;
  const pathname = usePathname();
  useEffect(() => {
    if (places.some(({ href, byVisit }) => byVisit && href === pathname)) onUsed(pathname);
  });
  return places.map(
    ({ href, look }) =>
      look && (isHuman || !look.asHuman) && <Looking key={href} look={look} onFound={() => onUsed(href)} />,
  );
}
