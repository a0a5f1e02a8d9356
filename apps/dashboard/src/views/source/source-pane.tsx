"use client";

import { type ReactNode, type RefObject, Suspense } from "react";
import { cn } from "@/core/utils";
import { DocumentSkeleton } from "@/document/document-skeleton";
import { PerspectivePane } from "@/views/source/lazy-faces";

export interface SourcePaneProps {
  readonly label: string;
  /** The part above the text, which does not scroll with it. */
  readonly head: ReactNode;
  /** The part below the text. */
  readonly foot?: ReactNode;
  /** As whom the text is looked at beside it. */
  readonly persona: string | null;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly children: ReactNode;
}

/** The text of a document or a file, or what is said about it, with what stands around. */
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
            // On a very wide screen the text stands in the middle of its pane.
            "min-[150rem]:px-[max(0px,calc((100%-52rem)/2))]",
            // Where there is no room for both, what a persona makes of the text stands in its place.
            persona !== null && "@container hidden @min-[48rem]:block",
          )}
        >
          <Suspense fallback={<DocumentSkeleton />}>{children}</Suspense>
        </div>
        {persona !== null && (
          <Suspense>
            <PerspectivePane chosen={persona} />
          </Suspense>
        )}
      </div>
      {foot}
    </section>
  );
}
