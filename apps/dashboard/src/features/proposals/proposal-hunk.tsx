"use client";

import type { Hunk } from "@merkle/wire";
import { cn } from "@/core/utils";
import { SplitHunk, UnifiedHunk } from "@/document/diff-hunk";
import { DiffCounts } from "@/document/version-changes";
import type { DiffLine } from "@/text/diff/unified-diff";
import { Checkbox } from "@/ui/checkbox";
import { Field } from "@/ui/field";

export interface ProposalHunkProps {
  readonly hunk: Hunk;
  readonly lines: readonly DiffLine[];
  readonly layout: "unified" | "split";
  /** Whether the hunk will be accepted. Null if there is no choice. */
  readonly isChosen: boolean | null;
  readonly onChoose: (isChosen: boolean) => void;
}

/** A hunk of a proposal, with a checkbox to accept it or leave it out. */
export function ProposalHunk({ hunk, lines, layout, isChosen, onChoose }: ProposalHunkProps) {
  const title = hunk.section.replace(/^#{1,6}\s+/, "") || "Beginning";
  const facts = (
    <>
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {title}
      </span>
      {isChosen === false && <span className="font-normal text-muted-foreground">left out</span>}
      <DiffCounts added={hunk.new_lines.length} removed={hunk.old_lines.length} />
    </>
  );
  const bar = "flex min-h-9 items-center gap-2 bg-surface px-3 text-sm font-medium pointer-coarse:min-h-11";
  return (
    <article
      data-hunk
      tabIndex={-1}
      aria-label={`Change in ${title}`}
      className={cn(
        "border-b outline-offset-[-2px]",
        isChosen === false && "[&_td]:bg-transparent [&_tr]:bg-transparent",
      )}
    >
      {isChosen === null ? (
        <div className={bar}>{facts}</div>
      ) : (
        <Field className={cn(bar, "cursor-pointer hover:bg-raised")}>
          <Checkbox checked={isChosen} onChange={(event) => onChoose(event.target.checked)} />
          {facts}
        </Field>
      )}
      {/* Two columns need space, so a narrow pane always shows one column, regardless of the preference. */}
      {layout === "split" && (
        <div className="hidden @min-[44rem]:block">
          <SplitHunk lines={lines} />
        </div>
      )}
      <div className={layout === "split" ? "@min-[44rem]:hidden" : undefined}>
        <UnifiedHunk lines={lines} />
      </div>
    </article>
  );
}
