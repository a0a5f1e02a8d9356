"use client";

import { MessagesSquare } from "lucide-react";
import { Button } from "@/components/ui/button";
import { showTopic, useTopicParam } from "./topic-param";
import { type Source, useTopics } from "./use-topics";

/** Shows all comments on a document, and how many are open. */
export function TopicsButton({ source }: { readonly source: Source }) {
  const shown = useTopicParam();
  const { data } = useTopics(source, { status: "open" });
  const count = data?.topics.length ?? 0;
  const words = data?.next_before === null ? String(count) : `${count}+`;
  return (
    <Button
      variant="ghost"
      size="sm"
      title="Comments"
      aria-pressed={shown !== null}
      onClick={() => showTopic(shown === null ? "list" : null)}
    >
      <MessagesSquare aria-hidden />
      <span className="sr-only @min-[36rem]:not-sr-only">Comments</span>
      {count > 0 && <span className="text-muted-foreground tabular-nums">{words}</span>}
    </Button>
  );
}
