"use client";

import { limits } from "@merkle/wire/limits";
import { useSource } from "@/components/source/source-context";
import { useRead } from "@/lib/broker/use-read";
import { toInput } from "@/lib/sources/source";

/** The last jobs of the page's document or file, newest first, live; everybody on a page who asks shares one read. */
export function useJobs() {
  const { source } = useSource();
  return useRead("list_jobs", { ...toInput(source), limit: limits.jobsListedMax }, { on: ["jobs"] });
}
