"use client";

import { lazyPart } from "@/core/lazy-part";
import { usePreference } from "@/core/preferences/use-preference";

const OneReporter = lazyPart(() => import("./notification-reporter"), "OneReporter");

/** Shows desktop notifications if the person has switched any on. */
export function Notifier() {
  const [reasons] = usePreference("notifications");
  return reasons.length > 0 && <OneReporter />;
}
