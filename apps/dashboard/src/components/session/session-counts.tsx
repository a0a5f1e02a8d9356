"use client";

import { TimeText } from "@/components/time-text";
import { Badge } from "@/components/ui/badge";
import { cn } from "@/lib/utils";
import { useSession } from "./session-context";
import { describeCount, type SessionState, stateOf } from "./session-state-words";

/** How the session stands, and how much there is of it. */
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
      <span>{session.document_version === 0 ? "no document yet" : `doc v${session.document_version}`}</span>
      {message_budget > 0 && session.status === "active" && (
        <span
          className={cn(session.agent_messages >= message_budget && "font-medium text-warning")}
          title="Messages of agents since the last human word, and how many they may say"
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
