"use client";

import { usePreference } from "@/core/preferences/use-preference";
import { describeExactly } from "@/core/time/describe-time";

/**
 * Shows a time to the minute, with the day of the week. For times that people plan around, such as when a link expires.
 */
export function DateText({ at }: { readonly at: string }) {
  const [preference] = usePreference("time");
  const zone = preference === "utc" ? { timeZone: "UTC" } : {};
  const date = new Date(at);
  return (
    <time dateTime={at} title={describeExactly(date)} className="whitespace-nowrap" suppressHydrationWarning>
      {new Intl.DateTimeFormat("en-GB", {
        weekday: "short",
        day: "numeric",
        month: "short",
        hour: "2-digit",
        minute: "2-digit",
        ...zone,
      }).format(date)}
    </time>
  );
}
