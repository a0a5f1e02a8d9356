"use client";

import { useRead } from "@/lib/broker/use-read";

/** As many as the broker lists at once. */
const jobsMax = 100;

/** The last jobs of a session, newest first, live; everybody on a page who asks shares one read. */
export function useJobs(sessionId: string) {
  return useRead("list_jobs", { session_id: sessionId, limit: jobsMax }, { on: ["jobs"] });
}
