"use client";

import type { Job, Topic } from "@merkle/wire";
import { Bot, RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { RefusalNote } from "@/components/refusal-note";
import { TimeText } from "@/components/time-text";
import { useJobs, useStartJob } from "@/features/jobs/api";
import { Button } from "@/ui/button";

export interface TopicJobProps {
  readonly topic: Topic;
  readonly canStart: boolean;
}

/** The agent's work on a topic: the state of its last job, and a button to start another. */
export function TopicJob({ topic, canStart }: TopicJobProps) {
  const { data } = useJobs();
  const { start, isPending, refusal } = useStartJob();
  const job = data?.jobs.find(({ kind, topic_id }) => kind === "incorporate" && topic_id === topic.topic_id);
  const isUnderWay = job?.status === "queued" || job?.status === "running";
  const hasFailed = job?.status === "failed" || job?.status === "timed_out";

  return (
    <div className="grid justify-items-start gap-1">
      {job && (
        <div role="status" className="grid min-w-0 justify-items-start gap-1 text-sm">
          <JobWords job={job} />
        </div>
      )}
      <RefusalNote refusal={refusal} />
      {canStart && data && !isUnderWay && (
        <Button
          variant="outline"
          size="sm"
          disabled={isPending}
          onClick={() => void start({ kind: "incorporate", topic_id: topic.topic_id, persona_name: null })}
        >
          {hasFailed ? <RotateCw aria-hidden /> : <Bot aria-hidden />}
          {hasFailed ? "Retry" : job ? "Send to the agent again" : "Send to the agent"}
        </Button>
      )}
    </div>
  );
}

function JobWords({ job }: { job: Job }): ReactNode {
  switch (job.status) {
    case "queued":
      return <p className="text-muted-foreground">Job {job.job_id} is waiting for the agent.</p>;
    case "running":
      return (
        <p className="text-muted-foreground">
          The agent is working on it (job {job.job_id})
          {job.started_at !== null && (
            <>
              , since <TimeText at={job.started_at} as="clock" />
            </>
          )}
          .
        </p>
      );
    case "succeeded":
      // The proposal's message in the thread links to the review.
      return job.result?.kind === "proposal" ? (
        <p className="text-muted-foreground">
          Job {job.job_id} made proposal {job.result.id}.
        </p>
      ) : null;
    case "cancelled":
      return <p className="text-muted-foreground">Job {job.job_id} was cancelled.</p>;
    case "failed":
    case "timed_out":
      return (
        <>
          <p dir="auto" className="break-words text-danger">
            Job {job.job_id}: {job.message ?? "it failed"}
          </p>
          {job.error_tail !== null && job.error_tail !== "" && (
            <details className="w-full">
              <summary className="min-h-6 cursor-pointer text-muted-foreground pointer-coarse:py-2.5">
                Last output
              </summary>
              <pre
                dir="auto"
                className="max-h-40 overflow-auto rounded-md bg-surface p-2 text-xs whitespace-pre-wrap"
              >
                {job.error_tail}
              </pre>
            </details>
          )}
        </>
      );
  }
}
