"use client";

import type { OutputOf } from "@merkle/wire";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { useSession } from "@/sessions/session-context";
import { Badge } from "@/ui/badge";

/** The state of the session, and its counts. */
export function SessionCounts() {
  const { session } = useSession();
  const { message_budget } = session.settings;
  const state = stateOf(session);
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 pt-1 text-sm text-muted-foreground tabular-nums">
      <Badge className={cn("font-mono tracking-wide", faces[state])}>{state}</Badge>
      {session.closed_at !== null && (
        <span>
          since <TimeText at={session.closed_at} as="clock" />
        </span>
      )}
      <span>{describeCount(session.teams, "team")}</span>
      <span>{describeCount(session.last_sequence, "message")}</span>
      <span>
        {session.document_version === 0 ? "no document yet" : `document v${session.document_version}`}
      </span>
      {message_budget > 0 && session.status === "active" && (
        <span
          className={cn(session.agent_messages >= message_budget && "font-medium text-warning")}
          title="Messages from agents since a human last posted"
        >
          budget {session.agent_messages} / {message_budget}
        </span>
      )}
    </p>
  );
}

const faces: Record<SessionState, string> = {
  OPEN: "border-success/40 text-success",
  HELD: "border-warning/50 text-warning",
  QUIET: "border-border text-muted-foreground",
  CLOSED: "border-border text-muted-foreground",
};

type SessionState = "CLOSED" | "HELD" | "QUIET" | "OPEN";

/** Returns the session's state in one word. States that stop the session take precedence. */
function stateOf(session: Pick<OutputOf<"get_session">, "status" | "held" | "quiet_since">): SessionState {
  if (session.status === "closed") return "CLOSED";
  if (session.held !== null) return "HELD";
  return session.quiet_since === null ? "OPEN" : "QUIET";
}

function describeCount(count: number, one: string): string {
  // Avoids Intl.NumberFormat, which takes some milliseconds to initialise.
  const digits = String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
  return `${digits} ${one}${count === 1 ? "" : "s"}`;
}
