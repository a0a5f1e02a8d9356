"use client";

import { isInFlight } from "./describe-job";
import { useJobs } from "./use-jobs";

/** The number of jobs in flight on the page's document or file. */
export function RunningJobs() {
  const { data } = useJobs();
  const runningCount = data?.jobs.filter(isInFlight).length ?? 0;
  if (runningCount === 0) return null;
  return (
    <span className="text-muted-foreground tabular-nums">
      {runningCount}
      <span className="sr-only"> running</span>
    </span>
  );
}
