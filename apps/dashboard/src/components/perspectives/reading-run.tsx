"use client";

import type { Job } from "@merkle/wire";
import { X } from "lucide-react";
import { JobMark } from "@/components/jobs/job-mark";
import { JobTime } from "@/components/jobs/job-time";
import { RunnerNote } from "@/components/jobs/runner-note";
import { RefusalNote } from "@/components/refusal-note";
import { Button } from "@/components/ui/button";
import { useAction } from "@/lib/broker/use-action";
import { useCall } from "@/lib/broker/use-call";

/** A reading that waits or goes on, and how to cancel it. */
export function ReadingRun({ job }: { readonly job: Job }) {
  const call = useCall();
  const { run, pending, refusal } = useAction();
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
        <Button
          variant="outline"
          size="sm"
          disabled={pending}
          aria-label={`Cancel job ${job_id}`}
          onClick={() => void run(async (signal) => void (await call("cancel_job", { job_id }, { signal })))}
        >
          <X aria-hidden /> {pending ? "Cancelling…" : "Cancel"}
        </Button>
      </div>
      <RefusalNote refusal={refusal} />
      {status === "queued" && <RunnerNote />}
    </div>
  );
}
