import { useRead } from "@/broker/use-read";
import type { SessionFacts } from "@/sessions/session-context";

/** After a session is closed, its feed has only a few more events: revised conclusions, and teams that leave. */
const eventsMax = 100;

/** Returns the author of the first conclusion, which closed the session. Later conclusions only revise it. */
export function useClosedBy({ session_id, status }: SessionFacts["session"]): string | null {
  const { data } = useRead(
    "get_history",
    status === "closed" ? { session_id, types: ["system"], limit: eventsMax } : null,
  );
  const by = data?.messages.find(({ event }) => event === "session_concluded")?.["by"];
  return typeof by === "string" ? by : null;
}
