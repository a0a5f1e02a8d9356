import { useBrokerServices } from "@/broker/use-broker";
import { keyOfRead } from "@/broker/use-read";

/** The sessions that the palette finds without asking; they are read ahead, and kept. */
export const knownSessions = { limit: 100 } as const;

/** The title that a session had when it was listed last, for the moment in which it is being read. */
export function useKnownTitle(ref: string | undefined): string | undefined {
  const { reads } = useBrokerServices();
  const { data } = reads.state<"list_sessions">(keyOfRead("list_sessions", knownSessions));
  return data?.sessions.find(({ slug }) => slug === ref)?.title;
}
