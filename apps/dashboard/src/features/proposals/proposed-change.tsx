"use client";

import { useRead } from "@/broker/use-read";
import { UnifiedHunk } from "@/document/diff-hunk";
import type { PreviewProps } from "@/parts/feature";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Skeleton } from "@/ui/skeleton";
import { listHunkLines } from "./hunk-lines";

const shownHunksMax = 4;

/** The first hunks of a proposal that awaits a decision. */
export function ProposedChange({ item }: PreviewProps) {
  const { data } = useRead("get_proposal", { proposal_id: item.number ?? 0 }, { on: ["proposals"] });
  if (!data) return <Skeleton className="h-32" />;
  const { note, content, hunks } = data;
  const lines = listHunkLines(content ?? "", hunks);
  return (
    <div className="grid min-w-0 gap-3">
      {note.trim() !== "" && (
        <blockquote className="border-s-2 border-input ps-3">
          <MarkdownText text={note} />
        </blockquote>
      )}
      {hunks.slice(0, shownHunksMax).map(({ id, section }) => (
        <section key={id} className="min-w-0 overflow-hidden rounded-lg border">
          <h3 dir="auto" className="truncate border-b bg-surface px-3 py-1.5 text-sm font-medium">
            {section.replace(/^#{1,6}\s+/, "") || "Beginning"}
          </h3>
          <UnifiedHunk lines={lines.get(id) ?? []} />
        </section>
      ))}
      {hunks.length > shownHunksMax && (
        <p className="text-sm text-muted-foreground">and {hunks.length - shownHunksMax} more changes</p>
      )}
    </div>
  );
}
