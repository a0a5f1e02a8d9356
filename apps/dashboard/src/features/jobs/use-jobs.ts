"use client";

import { limits } from "@merkle/wire/limits";
import { useRead } from "@/broker/use-read";
import { toInput } from "@/sessions/source";
import { useSource } from "@/sessions/source-context";

/** The last jobs of the page's document or file, newest first, live; everybody on a page who asks shares one read. */
export function useJobs() {
  const { source } = useSource();
  return useRead("list_jobs", { ...toInput(source), limit: limits.jobsListedMax }, { on: ["jobs"] });
}
