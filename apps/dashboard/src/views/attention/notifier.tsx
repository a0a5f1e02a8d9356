"use client";

import { lazy, Suspense, useEffect, useState } from "react";
import { usePreference } from "@/core/preferences/use-preference";

const NotificationReporter = lazy(() =>
  import("./notification-reporter").then(({ NotificationReporter }) => ({ default: NotificationReporter })),
);

/** Tells of what comes while nobody looks, where that was chosen. Of all tabs one does it. */
export function Notifier() {
  const [reasons] = usePreference("notifications");
  const isReporter = useOnlyTab("merkle-notifier", reasons.length > 0);
  if (!isReporter) return null;
  return (
    <Suspense>
      <NotificationReporter />
    </Suspense>
  );
}

/** Whether this tab is the one of this browser that holds a name; when it closes, another gets it. */
function useOnlyTab(name: string, wanted: boolean): boolean {
  const [holds, setHolds] = useState(false);
  useEffect(() => {
    if (!wanted || !("locks" in navigator)) return;
    const ended = new AbortController();
    navigator.locks
      .request(name, { signal: ended.signal }, () => {
        setHolds(true);
        return new Promise<void>((release) => ended.signal.addEventListener("abort", () => release()));
      })
      .catch(() => undefined); // It was given up before it was ours.
    return () => {
      ended.abort();
      setHolds(false);
    };
  }, [name, wanted]);
  return holds;
}
