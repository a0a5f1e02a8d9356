"use client";

import { usePathname } from "next/navigation";
import { useHydrated } from "./use-hydrated";

/** Returns the id or slug of the page's session, from the URL. Undefined in the exported page. */
export function useSessionRef(): string | undefined {
  const pathname = usePathname();
  const isHydrated = useHydrated();
  // All sessions share one exported page, whose path differs from the URL until hydration.
  if (!isHydrated) return undefined;
  const [, section, ref] = pathname.split("/");
  return section === "sessions" && ref !== undefined && ref !== "" ? decodeURIComponent(ref) : undefined;
}
