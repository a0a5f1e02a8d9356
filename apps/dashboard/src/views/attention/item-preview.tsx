"use client";

import { type AttentionItem, describeItem } from "@merkle/wire";
import { useRead } from "@/broker/use-read";
import { UnifiedHunk } from "@/document/diff-hunk";
import { textOf } from "@/feed/store/message-text";
import { linesOfHunks } from "@/text/diff/hunk-lines";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Skeleton } from "@/ui/skeleton";
import { JobTail } from "@/work/jobs/job-tail";

/** What an item is about, as much of it as can be read at once: the ask whole, what a proposal changes, how a job ended. */
export function ItemPreview({ item }: { readonly item: AttentionItem }) {
  switch (item.kind) {
    case "ask":
      return <AskedMessage item={item} />;
    case "proposal":
      return <ProposedChange number={item.number ?? 0} />;
    case "job_failed":
      return <FailedJob number={item.number ?? 0} />;
    default:
      return <Quoted text={describeItem(item).quote} />;
  }
}

function Quoted({ text }: { readonly text: string | null }) {
  if (text === null) return null;
  return (
    <blockquote className="border-s-2 border-input ps-3">
      <MarkdownText text={text} />
    </blockquote>
  );
}

/** An item holds the beginning of its text alone. */
function AskedMessage({ item }: { readonly item: Extract<AttentionItem, { session_id: string }> }) {
  const { session_id, sequence } = item;
  const { data } = useRead(
    "get_history",
    sequence === null ? null : { session_id, around: sequence, limit: 1 },
  );
  const message = data?.messages.find((each) => each.sequence === sequence);
  return <Quoted text={(message && textOf(message)) ?? item.text} />;
}

const hunksShown = 4;

function ProposedChange({ number }: { readonly number: number }) {
  const { data } = useRead("get_proposal", { proposal_id: number }, { on: ["proposals"] });
  if (!data) return <Skeleton className="h-32" />;
  const { note, content, hunks } = data;
  const lines = linesOfHunks(content ?? "", hunks);
  return (
    <div className="grid min-w-0 gap-3">
      {note.trim() !== "" && <Quoted text={note} />}
      {hunks.slice(0, hunksShown).map(({ id, section }) => (
        <section key={id} className="min-w-0 overflow-hidden rounded-lg border">
          <h3 dir="auto" className="truncate border-b bg-surface px-3 py-1.5 text-sm font-medium">
            {section.replace(/^#{1,6}\s+/, "") || "Beginning"}
          </h3>
          <UnifiedHunk lines={lines.get(id) ?? []} />
        </section>
      ))}
      {hunks.length > hunksShown && (
        <p className="text-sm text-muted-foreground">and {hunks.length - hunksShown} more changes</p>
      )}
    </div>
  );
}

function FailedJob({ number }: { readonly number: number }) {
  const { data } = useRead("get_job", { job_id: number });
  if (!data) return <Skeleton className="h-20" />;
  return (
    <div className="min-w-0">
      {data.message !== null && <p>{data.message}</p>}
      {data.error_tail !== null && data.error_tail !== "" && (
        <JobTail text={data.error_tail} label={`Last output of job ${number}`} />
      )}
    </div>
  );
}
