import type { InputOf, OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/plain";
import { type Read, useRead } from "@/lib/broker/use-read";

/** What is commented on, as the operations name it. */
export type Source = Pick<InputOf<"list_topics">, "session_id">;

export type TopicsPage = OutputOf<"list_topics">;
export type Topic = TopicsPage["topics"][number];

/** The topics of a source, newest first, kept up to date. */
export function useTopics(
  source: Source,
  { status, before }: { readonly status: Topic["status"]; readonly before?: number },
): Read<TopicsPage> {
  return useRead(
    "list_topics",
    { ...source, status, limit: limits.topicsPageMax, ...(before === undefined ? {} : { before }) },
    { on: ["topics"] },
  );
}
