import type { OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { TextLayout } from "@/components/document/part-starts";
import { useSource } from "@/components/source/source-context";
import { useRefreshWithText } from "@/components/source/use-refresh-with-text";
import { type Read, useRead } from "@/lib/broker/use-read";
import { type Revision, toInput } from "@/lib/sources/source";

/** The newest text, as it is shown. */
export interface CommentedText {
  readonly revision: Revision;
  readonly content: string;
  readonly layout: TextLayout;
}

export type TopicsPage = OutputOf<"list_topics">;
export type Topic = TopicsPage["topics"][number];

/** The topics of the page's document or file, newest first, kept up to date. */
export function useTopics({
  status,
  before,
}: {
  readonly status: Topic["status"];
  readonly before?: number;
}): Read<TopicsPage> {
  const { source } = useSource();
  const read = useRead(
    "list_topics",
    { ...toInput(source), status, limit: limits.topicsPageMax, ...(before === undefined ? {} : { before }) },
    { on: ["topics"] },
  );
  useRefreshWithText(read.refresh);
  return read;
}
