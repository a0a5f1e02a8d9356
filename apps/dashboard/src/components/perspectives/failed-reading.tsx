import type { Job } from "@merkle/wire";
import { JobTail } from "@/components/jobs/job-tail";
import { TimeText } from "@/components/time-text";
import { ReadButton, type StartReading } from "./read-button";

/** Why the last reading came to nothing, and another try. */
export function FailedReading({ job, start }: { readonly job: Job; readonly start: StartReading }) {
  const { job_id, message, error_tail, completed_at } = job;
  return (
    <div role="alert" className="grid gap-2 rounded-lg border border-danger/40 bg-danger-surface px-3 py-2">
      <div className="min-w-0">
        <p className="font-medium text-danger [overflow-wrap:anywhere]">
          {message ?? "The last reading failed."}
        </p>
        <p className="text-sm text-muted-foreground">
          <span className="tabular-nums">job {job_id}</span>
          {completed_at !== null && (
            <>
              {" · "}
              <TimeText at={completed_at} />
            </>
          )}
        </p>
        {error_tail !== null && error_tail !== "" && (
          <JobTail text={error_tail} label={`The end of what job ${job_id} wrote`} />
        )}
      </div>
      <ReadButton {...start} label="Retry" isQuiet />
    </div>
  );
}
