"use client";

import { limits } from "@merkle/wire/limits";
import { useRead } from "@/broker/use-read";
import { toInput } from "@/sessions/source";
import { useSource } from "@/sessions/source-context";

/**
 * Returns the latest jobs on the page's document or file, newest first, kept up to date. All callers on a page share one read.
 */
export function useJobs() {
  const { source } = useSource();
  return useRead("list_jobs", { ...toInput(source), limit: limits.jobsListedMax }, { on: ["jobs"] });
}
