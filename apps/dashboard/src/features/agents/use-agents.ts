import type { OutputOf } from "@merkle/wire";
import { useKeptFresh } from "@/broker/use-kept-fresh";
import { type Read, useRead } from "@/broker/use-read";

/** Returns the agents of one session, or of all open sessions if undefined, kept up to date. With null, nothing is read. */
export function useAgents(session: string | null | undefined): Read<OutputOf<"list_agents">> {
  const read = useRead("list_agents", session === null ? null : session === undefined ? {} : { session }, {
    on: ["attention", "roster", "tasks"],
  });
  // The broker announces neither read cursors nor presence changes, so poll. Next to a session's feed, polling is slower.
  useKeptFresh(read.refresh, session === undefined ? 5_000 : 15_000);
  return read;
}
