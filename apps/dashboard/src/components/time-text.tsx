"use client";

import { useCallback } from "react";
import type { Preferences } from "@/core/preferences/preferences";
import { usePreference } from "@/core/preferences/use-preference";
import { describeAge, describeExactly, describeMoment } from "@/core/time/describe-time";
import { useAtNow } from "@/core/time/use-now";

export interface TimeTextProps {
  /** Timestamp in the broker's format. */
  readonly at: string;
  /**
   * `age` shows the time relative to now if the person prefers relative times. `clock` always shows the time of day.
   */
  readonly as?: "age" | "clock";
  readonly className?: string | undefined;
}

/** A time in the format that the person chose. The tooltip contains the exact time. */
export function TimeText({ at, as = "age", className }: TimeTextProps) {
  const [preference] = usePreference("time");
  const describe = useCallback((now: number) => describeTime(at, now, as, preference), [at, as, preference]);
  const text = useAtNow(describe);
  return (
    <time dateTime={at} title={describeExactly(new Date(at))} className={className} suppressHydrationWarning>
      {text}
    </time>
  );
}

function describeTime(at: string, now: number, as: "age" | "clock", preference: Preferences["time"]): string {
  const date = new Date(at);
  if (as === "age" && preference === "relative") return describeAge(date, new Date(now));
  return describeMoment(date, new Date(now), preference === "utc" ? "utc" : "local");
}
