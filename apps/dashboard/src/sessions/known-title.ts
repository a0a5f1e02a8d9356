import { useBrokerServices } from "@/broker/use-broker";
import { toReadKey } from "@/broker/use-read";

/** The sessions that the command palette searches locally. They are prefetched and cached. */
export const knownSessions = { limit: 100 } as const;

/** Returns the title from the last list of sessions, to show while the session is loading. */
export function useKnownTitle(ref: string | undefined): string | undefined {
  const { reads } = useBrokerServices();
  const { data } = reads.getState<"list_sessions">(toReadKey("list_sessions", knownSessions));
  return data?.sessions.find(({ slug }) => slug === ref)?.title;
}
