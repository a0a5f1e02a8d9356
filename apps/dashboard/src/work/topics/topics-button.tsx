"use client";

import { MessagesSquare } from "lucide-react";
import { Button } from "@/ui/button";
import { showTopic, useTopicParam } from "./topic-param";
import { useTopics } from "./use-topics";

/** Shows all comments on the text, and how many are open. */
export function TopicsButton() {
  const shown = useTopicParam();
  const { data } = useTopics({ status: "open" });
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
      <span className="sr-only @min-[36rem]:not-sr-only min-[1200px]:not-sr-only">Comments</span>
      {count > 0 && <span className="text-muted-foreground tabular-nums">{words}</span>}
    </Button>
  );
}
