"use client";

import type { Job, Perspective } from "@merkle/wire";
import { ProblemAlert } from "@/components/problem-alert";
import { TimeText } from "@/components/time-text";
import { CancelJob, isInFlight, JobMark, JobTail, JobTime, RunnerNote, useJobs } from "@/features/jobs/api";
import { describeRevision } from "@/sessions/source";
import { useSource } from "@/sessions/source-context";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Skeleton } from "@/ui/skeleton";
import { ReadButton, type ReadingRequest } from "./read-button";
import { type OfferedPersona, usePerspective } from "./use-perspectives";

/** A persona's reading, whether the reading is out of date, and the state of a new reading in progress. */
export function PersonaReading({ persona, perspective }: OfferedPersona) {
  const { revision } = useSource();
  const { data } = useJobs();
  const runningJob = data?.jobs.find(isInFlight) ?? null;
  const lastJob = data?.jobs.find((job) => job.persona_name === persona.name) ?? null;
  const isOwn = runningJob !== null && runningJob.job_id === lastJob?.job_id;
  const failedJob = !isOwn && lastJob && isFailure(lastJob) ? lastJob : null;
  const start = {
    persona,
    isEmpty: revision === 0,
    busyWith: isOwn ? null : runningJob,
  };
  return (
    <>
      {isOwn && <ReadingRun job={runningJob} />}
      {failedJob && <FailedReading job={failedJob} start={start} />}
      {perspective?.stale && !isOwn && !failedJob && <StaleReading perspective={perspective} start={start} />}
      {perspective !== null && <Reading name={persona.name} />}
      {perspective === null && !isOwn && !failedJob && <Unread start={start} />}
      {perspective !== null && !perspective.stale && !isOwn && !failedJob && (
        <ReadButton {...start} label="Read again" isQuiet />
      )}
    </>
  );
}

/** True if the last job failed. A cancelled job does not count, because someone cancelled it deliberately. */
function isFailure({ status }: Job): boolean {
  return status === "failed" || status === "timed_out";
}

function Reading({ name }: { readonly name: string }) {
  const { data, problem, refresh } = usePerspective(name);
  if (!data) {
    if (!problem) return <Skeleton className="h-40" />;
    return <ProblemAlert title="Couldn't load this perspective." problem={problem} onRetry={refresh} />;
  }
  return (
    <article aria-label={`Perspective of ${name}`} className="min-w-0">
      <p className="mb-2 text-sm text-muted-foreground">
        Read{" "}
        <span className="tabular-nums">
          {data.source_version === null
            ? describeRevision(data.source_hash)
            : `version ${data.source_version}`}
        </span>
        , <TimeText at={data.made_at} as="clock" />
      </p>
      <MarkdownText key={data.content} text={data.content} className="max-w-[72ch]" />
    </article>
  );
}

function Unread({ start }: { readonly start: Parameters<typeof ReadButton>[0] }) {
  const { name, prompt } = start.persona;
  return (
    <div className="grid justify-items-start gap-3">
      <p dir="auto" className="text-muted-foreground [overflow-wrap:anywhere]">
        {prompt.split("\n", 1)[0]}
      </p>
      <ReadButton
        {...start}
        label={
          <span>
            Review as <bdi>{name}</bdi>
          </span>
        }
      />
    </div>
  );
}

/** A queued or running reading, with a button to cancel it. */
function ReadingRun({ job }: { readonly job: Job }) {
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

/** Explains why a reading is out of date, and offers another reading. */
function StaleReading({
  perspective,
  start,
}: {
  readonly perspective: Perspective;
  readonly start: ReadingRequest;
}) {
  return (
    <div
      role="status"
      className="grid gap-2 rounded-lg border border-warning/40 bg-highlight px-3 py-2 text-sm"
    >
      <p>
        <strong className="font-medium text-warning">Stale:</strong> {describeStaleness(perspective)}
      </p>
      <ReadButton {...start} label="Read again" isQuiet />
    </div>
  );
}

function describeStaleness({ stale_because, source_version, source_hash }: Perspective): string {
  const text =
    source_version === null
      ? `the file has changed since ${describeRevision(source_hash)}`
      : `the document has changed since version ${source_version}`;
  const persona = "the persona’s instructions have changed since";
  if (stale_because.length === 2) return `${text}, and ${persona}.`;
  return stale_because.includes("source") ? `${text}.` : `${persona}.`;
}

/** The reason why the last reading failed, and a button to retry. */
function FailedReading({ job, start }: { readonly job: Job; readonly start: ReadingRequest }) {
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
          <JobTail text={error_tail} label={`Last output of job ${job_id}`} />
        )}
      </div>
      <ReadButton {...start} label="Retry" isQuiet />
    </div>
  );
}
