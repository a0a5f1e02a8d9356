"use client";

import { lazy, Suspense } from "react";
import { usePreference } from "@/lib/preferences/use-preference";
import { useOnlyTab } from "./use-only-tab";

const Teller = lazy(() => import("./teller").then(({ Teller }) => ({ default: Teller })));

/** Tells of what comes while nobody looks, where that was chosen. Of all tabs one does it. */
export function Notifier() {
  const [reasons] = usePreference("notifications");
  const isTeller = useOnlyTab("merkle-notifier", reasons.length > 0);
  if (!isTeller) return null;
  return (
    <Suspense>
      <Teller />
    </Suspense>
  );
}
