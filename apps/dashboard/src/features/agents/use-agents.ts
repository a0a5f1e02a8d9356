import type { OutputOf } from "@merkle/wire";
import { useKeptFresh } from "@/broker/use-kept-fresh";
import { type ReadResult, useRead } from "@/broker/use-read";

/**
 * Returns a live list of the agents in one session, or in all open sessions if `session` is undefined. If `session` is
 * null, nothing is read.
 */
export function useAgents(session: string | null | undefined): ReadResult<OutputOf<"list_agents">> {
  const read = useRead("list_agents", session === null ? null : session === undefined ? {} : { session }, {
    on: ["attention", "roster", "tasks"],
  });
  // The broker announces neither read cursors nor presence changes, so poll. Next to a session's feed, polling is slower.
  useKeptFresh(read.refresh, session === undefined ? 5_000 : 15_000);
  return read;
}
