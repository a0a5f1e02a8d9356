"use client";

import { useEffect, useRef } from "react";
import type { Problem } from "@/broker/problem";
import { ProblemAlert } from "@/components/problem-alert";
import { Sheet, SheetContent, SheetHeader, SheetTitle } from "@/ui/sheet";
import { LinkedTopic } from "./linked-topic";
import { TopicList, type TopicListProps } from "./topic-list";
import { showTopic } from "./topic-param";

export interface TopicSheetProps extends TopicListProps {
  readonly problem: Problem | undefined;
  readonly refresh: () => void;
}

/** A sheet with the topics, over the text. Used if there is no space next to the text. */
export function TopicSheet({ problem, refresh, ...list }: TopicSheetProps) {
  const body = useRef<HTMLDivElement>(null);
  const { shown, topics, canWrite } = list;
  const isListed = topics.some(({ topic_id }) => topic_id === shown);
  useEffect(() => {
    if (isListed)
      body.current?.querySelector(`[data-topic="${shown}"]`)?.scrollIntoView({ block: "nearest" });
  }, [shown, isListed]);
  return (
    <Sheet open onOpenChange={(open) => !open && showTopic(null)}>
      <SheetContent
        aria-describedby={undefined}
        className="overflow-hidden p-0 sm:p-0 open:grid-rows-[auto_minmax(0,1fr)] open:content-stretch open:gap-0"
      >
        <SheetHeader className="border-b px-4 py-3">
          <SheetTitle>Comments</SheetTitle>
        </SheetHeader>
        <div ref={body} className="grid content-start gap-3 overflow-y-auto px-4 py-3">
          {problem && <ProblemAlert title="Couldn't load comments." problem={problem} onRetry={refresh} />}
          {!isListed && <LinkedTopic shown={shown} canWrite={canWrite} />}
          <TopicList {...list} />
        </div>
      </SheetContent>
    </Sheet>
  );
}
