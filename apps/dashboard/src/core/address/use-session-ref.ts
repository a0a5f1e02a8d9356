"use client";

import { usePathname } from "next/navigation";
import { useHydrated } from "./use-hydrated";

/** The id or slug of the session that this page is about, as the address names it; undefined in the page as exported. */
export function useSessionRef(): string | undefined {
  const pathname = usePathname();
  const hydrated = useHydrated();
  // All sessions are served the same exported page, whose own path differs from the address until it runs.
  if (!hydrated) return undefined;
  const [, section, ref] = pathname.split("/");
  return section === "sessions" && ref !== undefined && ref !== "" ? decodeURIComponent(ref) : undefined;
}
