"use client";

import { ProblemAlert } from "@/components/problem-alert";
import { useRead } from "@/lib/broker/use-read";
import { TopicCard } from "./topic-card";
import { type ShownTopic, showTopic } from "./topic-param";
import type { Source } from "./use-topics";

/** The topic that the address names, where it is none of the open ones: one that was closed, or one of another document. */
export function LinkedTopic({ source, shown }: { readonly source: Source; readonly shown: ShownTopic }) {
  const topicId = typeof shown === "number" ? shown : null;
  const { data, problem, refresh } = useRead("get_topic", topicId === null ? null : { topic_id: topicId }, {
    on: ["topics"],
  });
  if (topicId === null) return null;
  if (problem) {
    return (
      <ProblemAlert title={`Comment ${topicId} could not be read.`} problem={problem} onRetry={refresh} />
    );
  }
  // One that is open and of this document is on its way to its place.
  if (!data || (data.status === "open" && data.session_id === source.session_id)) return null;
  return (
    <TopicCard topic={data} isOpen isBesideText={false} canWrite={false} onToggle={() => showTopic("list")} />
  );
}
