"use client";

import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Skeleton } from "@/ui/skeleton";

export interface EntryTextProps {
  readonly projectId: string;
  readonly id: string;
}

/**
 * An entry's full text below its summary. Reading the entry creates a missing summary. If no summary can be created,
 * the beginning of the text takes its place and is shown only once.
 */
export function EntryText({ projectId, id }: EntryTextProps) {
  const { data, problem, refresh } = useRead("get_context", { projectId, id, includeFull: true });
  if (data === undefined) {
    if (problem === undefined) return <Loading />;
    return <ProblemAlert title="Couldn't load the entry." problem={problem} onRetry={refresh} />;
  }
  const { summary, content = "" } = data;
  return (
    <div className="min-w-0 space-y-3 py-1">
      {!content.startsWith(summary) && (
        <section aria-label="Summary" className="border-l-2 pl-3">
          <p dir="auto" className="max-w-[72ch] [overflow-wrap:anywhere]">
            {summary}
          </p>
          <p className="text-xs text-muted-foreground">Summary by a model</p>
        </section>
      )}
      <MarkdownText text={content} className="max-w-[72ch]" />
    </div>
  );
}

function Loading() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading entry" className="space-y-2 py-1">
      <Skeleton className="h-4 w-4/5" />
      <Skeleton className="h-4 w-3/5" />
    </div>
  );
}
