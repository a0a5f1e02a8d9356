"use client";

import { usePathname } from "next/navigation";
import { useEffect } from "react";
import { useRead } from "@/broker/use-read";
import { useIsGuest, usePerson } from "@/identity/use-person";
import { useUsedPlaces } from "./used-places";

/** Notices the first use of each later place. It reads only about those that were not used yet. */
export function PlaceWatch() {
  const [used, add] = useUsedPlaces();
  const isNew = (href: string) => !used.includes(href);
  const { person } = usePerson();
  const hasApprovals = !useIsGuest() && person !== null;
  const pathname = usePathname();

  const approvals = useRead("list_approvals", isNew("/approvals") && hasApprovals ? {} : null, {
    on: ["person"],
  });
  const tasks = useRead("list_all_tasks", isNew("/tasks") ? { limit: 1 } : null, { on: ["sessions"] });
  const memory = useRead("list_memory", isNew("/memory") ? { limit: 1 } : null, { on: ["memory"] });
  const progress = useRead("list_progress", isNew("/progress") ? { limit: 1 } : null, { on: ["progress"] });
  const files = useRead("list_sources", isNew("/sources") ? { names_only: true } : null);
  const closed = useRead("list_sessions", isNew("/verify") ? { status: "closed", limit: 1 } : null, {
    on: ["sessions"],
  });

  useNote("/approvals", (approvals.data?.waiting.length ?? 0) + (approvals.data?.ended.length ?? 0) > 0, add);
  useNote("/tasks", (tasks.data?.total ?? 0) > 0, add);
  useNote("/memory", (memory.data?.memories.length ?? 0) > 0, add);
  useNote("/progress", (progress.data?.entries.length ?? 0) > 0, add);
  useNote("/sources", (files.data?.roots.length ?? 0) > 0, add);
  useNote("/verify", pathname === "/verify" || (closed.data?.sessions.length ?? 0) > 0, add);
  return null;
}

function useNote(href: string, isUsed: boolean, add: (href: string) => void): void {
  useEffect(() => {
    if (isUsed) add(href);
  }, [href, isUsed, add]);
}
