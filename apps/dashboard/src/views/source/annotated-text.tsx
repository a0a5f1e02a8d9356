"use client";

import { type ReactNode, type RefObject, Suspense, useRef } from "react";
import { PanelBoundary } from "@/components/panel-boundary";
import { SourceTopics } from "@/views/source/lazy-faces";
import { OutlineAside } from "@/views/source/outline-places";
import type { CommentedText } from "@/work/topics/use-topics";

export interface AnnotatedTextProps {
  readonly text: CommentedText;
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** Whether it is the newest text, which alone is commented on. */
  readonly isLive: boolean;
  readonly canComment: boolean;
  /** The text as it is laid out. */
  readonly children: ReactNode;
}

/** A text with its headings and what people said about it beside it. */
export function AnnotatedText({ text, scroller, isLive, canComment, children }: AnnotatedTextProps) {
  const root = useRef<HTMLDivElement>(null);
  return (
    <div className="relative flex justify-center gap-10 px-4 py-3">
      <div ref={root} className="min-w-0 flex-1 @min-[64rem]:max-w-[76ch]">
        {children}
      </div>
      {text.layout === "sections" && <OutlineAside content={text.content} scroller={scroller} />}
      {isLive && (
        <Suspense>
          <PanelBoundary title="Comments">
            <SourceTopics text={text} root={root} scroller={scroller} canWrite={canComment} />
          </PanelBoundary>
        </Suspense>
      )}
    </div>
  );
}
