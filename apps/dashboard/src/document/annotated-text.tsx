"use client";

import { type ReactNode, type RefObject, useRef } from "react";
import { PanelBoundary } from "@/components/panel-boundary";
import type { ShownText } from "@/parts/feature";
import { Parts } from "@/parts/features-context";
import { OutlineAside } from "./outline-places";

export interface AnnotatedTextProps {
  readonly text: ShownText;
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** True for the newest version of the text, the only version that can be commented on. */
  readonly isLive: boolean;
  readonly canComment: boolean;
  /** The rendered text. */
  readonly children: ReactNode;
}

/** Shows text with its outline and comments next to it. */
export function AnnotatedText({ text, scroller, isLive, canComment, children }: AnnotatedTextProps) {
  const root = useRef<HTMLDivElement>(null);
  return (
    <div className="relative flex justify-center gap-10 px-4 py-3">
      <div ref={root} className="min-w-0 flex-1 @min-[64rem]:max-w-[76ch]">
        {children}
      </div>
      {text.layout === "sections" && <OutlineAside content={text.content} scroller={scroller} />}
      {isLive && (
        <PanelBoundary title="Comments">
          <Parts select={({ text }) => text?.Margin} given={{ text, root, scroller, canWrite: canComment }} />
        </PanelBoundary>
      )}
    </div>
  );
}
