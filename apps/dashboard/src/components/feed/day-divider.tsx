"use client";

import { usePreference } from "@/lib/preferences/use-preference";

/** Where a day begins. */
export function DayDivider({ at }: { readonly at: string }) {
  const [time] = usePreference("time");
  const label = new Date(at).toLocaleDateString("en-GB", {
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    ...(time === "utc" ? { timeZone: "UTC" } : {}),
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot hold words.
    <div
      role="separator"
      aria-label={label}
      className="flex items-center gap-2 px-3 py-1.5 text-sm text-muted-foreground"
    >
      <span aria-hidden className="h-px flex-1 bg-border" />
      {label}
      <span aria-hidden className="h-px flex-1 bg-border" />
    </div>
  );
}
