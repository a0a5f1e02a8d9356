"use client";

import type { Job } from "@merkle/wire";
import { CancelJob } from "@/components/jobs/cancel-job";
import { JobMark } from "@/components/jobs/job-mark";
import { JobTime } from "@/components/jobs/job-time";
import { RunnerNote } from "@/components/jobs/runner-note";

/** A reading that waits or goes on, and how to cancel it. */
export function ReadingRun({ job }: { readonly job: Job }) {
  const { job_id, status } = job;
  return (
    <div className="grid gap-2 rounded-lg border bg-background px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p role="status" className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-1.5">
          <JobMark status={status} className="font-medium" />
          <span className="text-sm text-muted-foreground">
            <JobTime {...job} />
          </span>
          <span className="text-sm text-muted-foreground tabular-nums">· job {job_id}</span>
        </p>
        <CancelJob jobId={job_id} />
      </div>
      {status === "queued" && <RunnerNote />}
    </div>
  );
}
