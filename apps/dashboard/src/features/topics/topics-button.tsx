"use client";

import { MessagesSquare } from "lucide-react";
import { ToolButton } from "@/components/tool-button";
import { showTopic, useTopicParam } from "./topic-param";
import { useTopics } from "./use-topics";

/** Toggles the list of comments, and shows the number of open ones. */
export function TopicsButton() {
  const shown = useTopicParam();
  const { data } = useTopics({ status: "open" });
  const count = data?.topics.length ?? 0;
  const words = data?.next_before === null ? String(count) : `${count}+`;
  return (
    <ToolButton
      icon={<MessagesSquare aria-hidden />}
      label="Comments"
      isPressed={shown !== null}
      note={count > 0 && <span className="text-muted-foreground tabular-nums">{words}</span>}
      onClick={() => showTopic(shown === null ? "list" : null)}
    />
  );
}
