"use client";

import { usePathname } from "next/navigation";
import { useHydrated } from "./use-hydrated";

/** The id or slug of the page's session, from the address; undefined in the exported page. */
export function useSessionRef(): string | undefined {
  const pathname = usePathname();
  const hydrated = useHydrated();
  // All sessions are served the same exported page, whose own path differs from the address until it runs.
  if (!hydrated) return undefined;
  const [, section, ref] = pathname.split("/");
  return section === "sessions" && ref !== undefined && ref !== "" ? decodeURIComponent(ref) : undefined;
}
