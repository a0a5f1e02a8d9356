import type { OutputOf } from "@merkle/wire";
import { useKeptFresh } from "@/broker/use-kept-fresh";
import { type Read, useRead } from "@/broker/use-read";

/** Who is at work, in all open sessions or in one, kept up to date; with null nothing is read. */
export function useAgents(session: string | null | undefined): Read<OutputOf<"list_agents">> {
  const read = useRead("list_agents", session === null ? null : session === undefined ? {} : { session }, {
    on: ["attention", "roster", "tasks"],
  });
  // What an agent has read, and whether it is there, changes without a hint; beside a session's feed that may be seen later.
  useKeptFresh(read.refresh, session === undefined ? 5_000 : 15_000);
  return read;
}
