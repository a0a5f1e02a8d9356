import type { OutputOf } from "@merkle/wire";
import { useKeptFresh } from "@/broker/use-kept-fresh";
import { type Read, useRead } from "@/broker/use-read";

/** The agents of all open sessions or of one, kept up to date. With null, nothing is read. */
export function useAgents(session: string | null | undefined): Read<OutputOf<"list_agents">> {
  const read = useRead("list_agents", session === null ? null : session === undefined ? {} : { session }, {
    on: ["attention", "roster", "tasks"],
  });
  // What an agent has read and whether it is present changes without a hint. Beside a session's feed it may be shown later.
  useKeptFresh(read.refresh, session === undefined ? 5_000 : 15_000);
  return read;
}
