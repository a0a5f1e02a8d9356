"use client";

import type { AttentionItem } from "@merkle/wire";
import { useCall } from "@/broker/use-call";
import { useRead } from "@/broker/use-read";
import type { Attempt, PreviewProps } from "@/parts/feature";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/skeleton";
import { JobTail } from "./job-tail";

/** The reason why a job failed, and the end of its output. */
export function FailedJob({ item }: PreviewProps) {
  const { data } = useRead("get_job", { job_id: item.number ?? 0 });
  if (!data) return <Skeleton className="h-20" />;
  return (
    <div className="min-w-0">
      {data.message !== null && <p>{data.message}</p>}
      {data.error_tail !== null && data.error_tail !== "" && (
        <JobTail text={data.error_tail} label={`Last output of job ${item.number}`} />
      )}
    </div>
  );
}

/** Starts another job of the same kind. A job itself never runs twice. */
export function RetryJob({ item, attempt }: { readonly item: AttentionItem; readonly attempt: Attempt }) {
  const call = useCall();
  return (
    <Button
      size="sm"
      variant="outline"
      disabled={attempt.isBusy}
      onClick={() =>
        attempt.run(async () => {
          const { kind, topic_id, persona_name } = await call("get_job", { job_id: item.number ?? 0 });
          const source =
            item.session_id === null
              ? { source_path: item.source_path ?? "" }
              : { session_id: item.session_id };
          const { job_id } = await call("start_job", {
            kind,
            ...source,
            ...(topic_id !== null && { topic_id }),
            ...(persona_name !== null && { persona_name }),
          });
          return { text: `Started job ${job_id}` };
        })
      }
    >
      Retry
    </Button>
  );
}
