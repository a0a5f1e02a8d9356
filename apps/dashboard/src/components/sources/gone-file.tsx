"use client";

import { TopicList } from "@/components/topics/topic-list";
import { useTopicParam } from "@/components/topics/topic-param";
import { useTopics } from "@/components/topics/use-topics";

const noText = { revision: "", content: "", layout: "lines" } as const;

/** What was said of a file that cannot be read any more. */
export function GoneFile() {
  const shown = useTopicParam();
  const { data } = useTopics({ status: "open" });
  if (!data) return null;
  return (
    <section aria-label="Comments" className="max-w-2xl p-4">
      <TopicList text={noText} topics={data.topics} shown={shown} canWrite={false} onFind={() => undefined} />
    </section>
  );
}
