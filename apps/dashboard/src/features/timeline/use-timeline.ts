"use client";

import { useEffect, useRef } from "react";
import { type ReadResult, useRead } from "@/broker/use-read";
import { useSession } from "@/sessions/session-context";
import type { Timeline } from "./time-scale";

const buckets = 200;
/** Minimum time between two reads while the feed grows. */
const growEveryMs = 2_000;

/** Reads the timeline for the scrubber. Reads it again as the session grows. */
export function useTimeline(): ReadResult<Timeline> {
  const { session } = useSession();
  const { session_id, last_sequence } = session;
  const timeline = useRead(
    "get_timeline",
    { session_id, buckets },
    { on: ["document", "roster", "session"] },
  );
  const { refresh } = timeline;
  const readSequence = useRef(last_sequence);
  const readAt = useRef(0);

  useEffect(() => {
    if (last_sequence === readSequence.current) return;
    const wait = Math.max(0, readAt.current + growEveryMs - performance.now());
    const timer = setTimeout(() => {
      readSequence.current = last_sequence;
      readAt.current = performance.now();
      refresh();
    }, wait);
    return () => clearTimeout(timer);
  }, [last_sequence, refresh]);
  return timeline;
}
