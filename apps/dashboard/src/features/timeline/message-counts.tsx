"use client";

import { useEffect, useMemo } from "react";
import { useRead } from "@/broker/use-read";
import { RefusalNote } from "@/components/refusal-note";
import type { MessageCountsProps } from "@/parts/feature";
import { useSession } from "@/sessions/session-context";

/** Counts the messages of each team for a page of the core. */
export function MessageCounts({ onCounts }: MessageCountsProps) {
  const { data, problem } = useMessageCounts();
  useEffect(() => {
    if (data) onCounts(data.counts);
  }, [data, onCounts]);
  return <RefusalNote refusal={problem ?? null} />;
}

/** Reads how many messages each team posted, by the ids of the teams, and until when they were counted. */
export function useMessageCounts() {
  const { session } = useSession();
  const { data, ...read } = useRead(
    "get_timeline",
    { session_id: session.session_id, buckets: 1 },
    { on: ["session", "document"] },
  );
  const counted = useMemo(() => {
    if (data === undefined) return undefined;
    const counts = data.lanes.map((lane) => [lane.team_id, lane.counts[0] ?? 0] as const);
    return { counts: new Map(counts), to: data.to };
  }, [data]);
  return { ...read, data: counted };
}
