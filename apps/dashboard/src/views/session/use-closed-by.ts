import { useRead } from "@/broker/use-read";
import type { SessionFacts } from "@/sessions/session-context";

/** Several messages can share the millisecond in which a session was closed. */
const messagesMax = 3;

/** The author of the first conclusion, which closed the session; later conclusions only revise it. */
export function useClosedBy({ session_id, closed_at }: SessionFacts["session"]): string | null {
  const { data } = useRead(
    "get_history",
    closed_at === null ? null : { session_id, types: ["system"], at: closed_at, limit: messagesMax },
  );
  const by = data?.messages.findLast(({ event }) => event === "session_concluded")?.["by"];
  return typeof by === "string" ? by : null;
}
