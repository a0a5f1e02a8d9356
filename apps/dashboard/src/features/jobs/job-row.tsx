"use client";

import { type Job, toSourceHref } from "@merkle/wire";
import { RotateCw } from "lucide-react";
import { PageLink } from "@/components/page-link";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import { Button } from "@/ui/button";
import { CancelJob } from "./cancel-job";
import { describeJob, isInFlight } from "./describe-job";
import { JobMark } from "./job-mark";
import { JobTail } from "./job-tail";
import { JobTime } from "./job-time";
import { useStartJob } from "./use-start-job";

export interface JobRowProps {
  readonly job: Job;
  /** Id of the later job that retried this job. */
  readonly retriedAs: number | null;
  /** Whether the broker would accept a retry now. */
  readonly canRetry: boolean;
}

/** A job: its purpose, its progress, its result or error, and the actions on it. */
export function JobRow({ job, retriedAs, canRetry }: JobRowProps) {
  const { job_id, status, started_by, created_at, message, error_tail, result } = job;
  const titleId = `job-${job_id}`;
  return (
    <li
      aria-labelledby={titleId}
      className="grid min-w-0 gap-x-4 gap-y-1 px-3 py-row sm:grid-cols-[6.5rem_minmax(0,1fr)_auto] sm:px-4"
    >
      <p className="flex items-baseline justify-between gap-2 sm:block">
        <JobMark status={status} className="font-medium" />
        <span className="text-sm text-muted-foreground tabular-nums sm:hidden">job {job_id}</span>
      </p>
      <div className="min-w-0">
        <p className="[overflow-wrap:anywhere]">
          <span id={titleId} className="font-medium">
            {describeJob(job)}
          </span>{" "}
          <span className="text-sm text-muted-foreground tabular-nums max-sm:hidden">job {job_id}</span>
        </p>
        <p className="flex flex-wrap gap-x-1.5 text-sm text-muted-foreground">
          <JobTime {...job} />
          <span aria-hidden>·</span>
          <span className="min-w-0 [overflow-wrap:anywhere]">
            requested by <bdi>{started_by}</bdi> <TimeText at={created_at} />
          </span>
        </p>
        {message !== null && <p className="mt-1 text-danger">{message}</p>}
        {error_tail !== null && error_tail !== "" && (
          <JobTail text={error_tail} label={`Last output of job ${job_id}`} />
        )}
        {result !== null && <JobResult job={job} />}
        {retriedAs !== null && (
          <p className="text-sm text-muted-foreground">
            Retried as <span className="tabular-nums">job {retriedAs}</span>.
          </p>
        )}
      </div>
      {(isInFlight(job) || canRetry) && (
        <div className="flex flex-col gap-1 max-sm:items-start sm:items-end">
          {isInFlight(job) ? <CancelJob jobId={job_id} /> : <Retry job={job} />}
        </div>
      )}
    </li>
  );
}

function Retry({ job }: { readonly job: Job }) {
  const { start, isPending, refusal } = useStartJob();
  return (
    <>
      <Button
        variant="outline"
        size="sm"
        disabled={isPending}
        aria-label={`Retry job ${job.job_id}`}
        onClick={() => void start(job)}
      >
        <RotateCw aria-hidden /> {isPending ? "Starting…" : "Retry"}
      </Button>
      <RefusalNote refusal={refusal} />
    </>
  );
}

/** A link to the result of a job. */
function JobResult({ job }: { readonly job: Job }) {
  const { result } = job;
  if (result === null) return null;
  const { text, href } = toTarget(job, result);
  return (
    <PageLink
      href={href}
      // On touch screens the tap target is larger than the visible link.
      className="relative inline-flex min-h-6 items-center text-link underline-offset-4 hover:underline pointer-coarse:after:absolute pointer-coarse:after:-inset-x-2 pointer-coarse:after:-inset-y-2.5"
    >
      {text}
    </PageLink>
  );
}

function toTarget(
  job: Job,
  { kind: resultKind, id }: NonNullable<Job["result"]>,
): { readonly text: string; readonly href: string } {
  const home = `/sessions/${job.session}`;
  switch (resultKind) {
    case "proposal":
      return job.kind === "conclude"
        ? { text: "Conclusion draft", href: toConclusionAddress(home) }
        : { text: `Proposal ${id}`, href: toSourceHref(job, { proposal: id }) };
    case "perspective":
      return { text: "View perspective", href: toSourceHref(job, { perspective: job.persona_name }) };
    case "conclusion":
      return { text: `Concluded with document v${id}`, href: `${home}/doc?v=${id}` };
  }
}

/** Returns the URL that opens the conclude dialog with the current draft. */
function toConclusionAddress(home: string): string {
  return `${home}/jobs?conclude=1`;
}
