"use client";

import type { Job } from "@merkle/wire";
import { isInFlight } from "@/components/jobs/describe-job";
import { useJobs } from "@/components/jobs/use-jobs";
import { ProblemAlert } from "@/components/problem-alert";
import { useSource } from "@/components/source/source-context";
import { TimeText } from "@/components/time-text";
import { Skeleton } from "@/components/ui/skeleton";
import { MarkdownText } from "@/lib/markdown/markdown-text";
import { describeRevision } from "@/lib/sources/source";
import { FailedReading } from "./failed-reading";
import type { OfferedPersona } from "./perspective-pane";
import { ReadButton } from "./read-button";
import { ReadingRun } from "./reading-run";
import { StaleReading } from "./stale-reading";
import { usePerspective } from "./use-perspectives";

/** What a persona's reading came to, whether it still holds, and how it goes with another one. */
export function PersonaReading({ persona, perspective }: OfferedPersona) {
  const { revision } = useSource();
  const { data } = useJobs();
  const running = data?.jobs.find(isInFlight) ?? null;
  const last = data?.jobs.find((job) => job.persona_name === persona.name) ?? null;
  const isOwn = running !== null && running.job_id === last?.job_id;
  const failed = !isOwn && last && isFailure(last) ? last : null;
  const start = {
    persona,
    isEmpty: revision === 0,
    busyWith: isOwn ? null : running,
  };
  return (
    <>
      {isOwn && <ReadingRun job={running} />}
      {failed && <FailedReading job={failed} start={start} />}
      {perspective?.stale && !isOwn && !failed && <StaleReading perspective={perspective} start={start} />}
      {perspective !== null && <Reading name={persona.name} />}
      {perspective === null && !isOwn && !failed && <Unread start={start} />}
      {perspective !== null && !perspective.stale && !isOwn && !failed && (
        <ReadButton {...start} label="Read again" isQuiet />
      )}
    </>
  );
}

/** What became of the last try, where it was not cancelled, which somebody wanted. */
function isFailure({ status }: Job): boolean {
  return status === "failed" || status === "timed_out";
}

function Reading({ name }: { readonly name: string }) {
  const { source } = useSource();
  const { data, problem, refresh } = usePerspective(name);
  if (!data) {
    if (!problem) return <Skeleton className="h-40" />;
    return <ProblemAlert title="This perspective could not be read." problem={problem} onRetry={refresh} />;
  }
  return (
    <article aria-label={`The ${source.kind}, read as ${name}`} className="min-w-0">
      <p className="mb-2 text-sm text-muted-foreground">
        Of{" "}
        <span className="tabular-nums">
          {data.source_version === null
            ? describeRevision(data.source_hash)
            : `version ${data.source_version}`}
        </span>
        , made <TimeText at={data.made_at} as="clock" />
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
            Read as <bdi>{name}</bdi>
          </span>
        }
      />
    </div>
  );
}
