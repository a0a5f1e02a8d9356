"use client";

import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { belongsToSource } from "@/sessions/source";
import { useSource } from "@/sessions/source-context";
import { TopicCard } from "./topic-card";
import { type ShownTopic, showTopic } from "./topic-param";

/**
 * The topic that the URL names, if it is closed or belongs to another text and is therefore not in the list of open
 * topics.
 */
export function LinkedTopic({ shown, canWrite }: { readonly shown: ShownTopic; readonly canWrite: boolean }) {
  const { source } = useSource();
  const topicId = typeof shown === "number" ? shown : null;
  const { data, problem, refresh } = useRead("get_topic", topicId === null ? null : { topic_id: topicId }, {
    on: ["topics"],
  });
  if (topicId === null) return null;
  if (problem) {
    return <ProblemAlert title={`Couldn't load comment ${topicId}.`} problem={problem} onRetry={refresh} />;
  }
  // An open topic on this text appears in the list of topics once the list is refreshed.
  const isHere = data !== undefined && belongsToSource(source, data);
  if (!data || (data.status === "open" && isHere)) return null;
  return (
    <TopicCard
      topic={data}
      isOpen
      isBesideText={false}
      canWrite={canWrite && isHere}
      onToggle={() => showTopic("list")}
    />
  );
}
