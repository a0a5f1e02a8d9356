"use client";

import type { ShownText } from "@/parts/feature";
import { TopicList } from "./topic-list";
import { useTopicParam } from "./topic-param";
import { useTopics } from "./use-topics";

const noText: ShownText = { revision: "", content: "", layout: "lines" };

/** The open comments on text that can no longer be read. */
export function OpenTopics() {
  const shown = useTopicParam();
  const { data } = useTopics({ status: "open" });
  if (!data) return null;
  return (
    <section aria-label="Comments" className="max-w-2xl p-4">
      <TopicList text={noText} topics={data.topics} shown={shown} canWrite={false} onFind={() => undefined} />
    </section>
  );
}
