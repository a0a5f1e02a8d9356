"use client";

import { useMemo } from "react";
import { usePreference } from "@/lib/preferences/use-preference";

/** Names the day of a time in the person's zone, or in UTC where they prefer that. Each hour is worked out once. */
export function useDayOf(): (at: string) => string {
  const [time] = usePreference("time");
  return useMemo(() => {
    if (time === "utc") return (at) => at.slice(0, 10);
    const byHour = new Map<string, string>();
    return (at) => {
      const hour = at.slice(0, 15); // Zones differ from UTC by quarters of an hour: ten minutes never hold two days.
      const known = byHour.get(hour);
      if (known !== undefined) return known;
      const day = new Date(at).toDateString();
      byHour.set(hour, day);
      return day;
    };
  }, [time]);
}
