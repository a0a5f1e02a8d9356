import type { OutputOf, Topic } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { type ReadResult, useRead } from "@/broker/use-read";
import { toInput } from "@/sessions/source";
import { useSource } from "@/sessions/source-context";
import { useRefreshWithText } from "@/sessions/use-refresh-with-text";

export type TopicsPage = OutputOf<"list_topics">;

/** Returns the topics of the page's document or file, newest first, kept up to date. */
export function useTopics({
  status,
  before,
}: {
  readonly status: Topic["status"];
  readonly before?: number;
}): ReadResult<TopicsPage> {
  const { source } = useSource();
  const read = useRead(
    "list_topics",
    { ...toInput(source), status, limit: limits.topicsPageMax, ...(before === undefined ? {} : { before }) },
    { on: ["topics"] },
  );
  useRefreshWithText(read.refresh);
  return read;
}
