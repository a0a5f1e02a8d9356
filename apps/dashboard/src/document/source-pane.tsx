"use client";

import { type ReactNode, type RefObject, Suspense } from "react";
import { cn } from "@/core/utils";
import { Parts } from "@/parts/features-context";
import { DocumentSkeleton } from "./document-skeleton";

export interface SourcePaneProps {
  readonly label: string;
  /** Content above the text that does not scroll with it. */
  readonly head: ReactNode;
  /** Content below the text. */
  readonly foot?: ReactNode;
  /** The persona whose reading is shown next to the text. */
  readonly persona: string | null;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly children: ReactNode;
}

/** The text of a document or file, with its toolbar and side panes. Another view can replace the text. */
export function SourcePane({ label, head, foot, persona, scroller, children }: SourcePaneProps) {
  return (
    <section
      aria-label={label}
      data-perspective={persona === null ? undefined : ""}
      className="@container group/document flex h-full min-h-0 min-w-0 flex-1 flex-col"
    >
      {head}
      <div className="flex min-h-0 flex-1">
        <div
          ref={scroller}
          className={cn(
            "min-h-0 min-w-0 flex-1 overflow-y-auto [overflow-anchor:none]",
            // On a very wide screen the text is centred in its pane.
            "min-[150rem]:px-[max(0px,calc((100%-52rem)/2))]",
            // If the pane is too narrow for both, the persona's reading replaces the text.
            persona !== null && "@container hidden @min-[48rem]:block",
          )}
        >
          <Suspense fallback={<DocumentSkeleton />}>{children}</Suspense>
        </div>
        {persona !== null && <Parts select={({ text }) => text?.Perspective} given={{ chosen: persona }} />}
      </div>
      {foot}
    </section>
  );
}

/** Shows a proposal for review instead of the text. */
export function ProposalReview({ proposalId }: { readonly proposalId: number }) {
  return <Parts key={proposalId} select={({ text }) => text?.Review} given={{ proposalId }} />;
}
