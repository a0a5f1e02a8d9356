"use client";

import type { Job } from "@merkle/wire";
import type { ReactNode } from "react";
import { SkeletonRows } from "@/components/list-page";
import { ProblemAlert } from "@/components/problem-alert";
import { useSource } from "@/sessions/source-context";
import { isInFlight, isSameTarget } from "./describe-job";
import { JobRow } from "./job-row";
import { RunnerNote } from "./runner-note";
import { useJobs } from "./use-jobs";

/** The jobs on the page's document or file, newest first. Shows `none` instead if there are no jobs. */
export function SourceJobs({ none }: { readonly none: ReactNode }) {
  const { isOpen, isObserver } = useSource();
  const { data, problem, refresh } = useJobs();
  const jobs = data?.jobs;
  const isBusy = jobs?.some(isInFlight) ?? true;
  return (
    <>
      <RunnerNote />
      {problem && (
        <ProblemAlert
          title="Couldn't load jobs."
          problem={problem}
          isStale={jobs !== undefined}
          onRetry={refresh}
        />
      )}
      {jobs === undefined ? (
        problem === undefined && <SkeletonRows label="Loading jobs" />
      ) : jobs.length === 0 ? (
        none
      ) : (
        <ol aria-label="Jobs, newest first" className="divide-y rounded-lg border">
          {jobs.map((job, index) => {
            const retry = jobs.slice(0, index).findLast((newer) => isSameTarget(newer, job));
            const isOver = job.status === "succeeded" || retry !== undefined;
            return (
              <JobRow
                key={job.job_id}
                job={job}
                retriedAs={job.status === "succeeded" ? null : (retry?.job_id ?? null)}
                canRetry={!isObserver && !isBusy && !isOver && isRetryable(job, isOpen)}
              />
            );
          })}
        </ol>
      )}
    </>
  );
}

/**
 * True if the broker would accept a job of this kind. After a session has concluded, its document can no longer be
 * rewritten, but jobs of all other kinds are still accepted.
 */
function isRetryable({ kind }: Job, isOpen: boolean): boolean {
  return kind !== "incorporate" || isOpen;
}
