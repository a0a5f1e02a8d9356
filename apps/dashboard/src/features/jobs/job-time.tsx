"use client";

import type { Job } from "@merkle/wire";
import { useCallback } from "react";
import { describeSpan } from "@/core/time/describe-span";
import { useAtNow } from "@/core/time/use-now";

type Times = Pick<Job, "status" | "created_at" | "started_at" | "completed_at">;

/** How long a job has been waiting or running, or how long it took. Updates while the job is in flight. */
export function JobTime({ status, created_at, started_at, completed_at }: Times) {
  const describe = useCallback(
    (now: number) => describeTimes({ status, created_at, started_at, completed_at }, now),
    [status, created_at, started_at, completed_at],
  );
  return (
    <span className="tabular-nums" suppressHydrationWarning>
      {useAtNow(describe)}
    </span>
  );
}

function describeTimes({ status, created_at, started_at, completed_at }: Times, now: number): string {
  if (status === "queued") return `waiting ${describeSpan(now - Date.parse(created_at))}`;
  if (started_at === null) return "never ran";
  const end = completed_at === null ? now : Date.parse(completed_at);
  const span = describeSpan(end - Date.parse(started_at));
  return status === "running" ? `for ${span}` : `took ${span}`;
}
