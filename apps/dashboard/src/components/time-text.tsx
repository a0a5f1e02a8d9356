"use client";

import { useCallback } from "react";
import type { Preferences } from "@/core/preferences/preferences";
import { usePreference } from "@/core/preferences/use-preference";
import { describeAge, describeExactly, describeMoment } from "@/core/time/describe-time";
import { useAtNow } from "@/core/time/use-now";

export interface TimeTextProps {
  /** As the broker gives it. */
  readonly at: string;
  /** `age` says how long ago it was where the person prefers that; `clock` always says when. */
  readonly as?: "age" | "clock";
  readonly className?: string | undefined;
}

/** A time in the format that the person chose. The tooltip has the exact time. */
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
