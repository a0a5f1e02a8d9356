import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { Button } from "@/components/ui/button";
import type { Polled } from "@/lib/use-polled";
import { SessionTable } from "./session-table";
import { SessionsEmpty } from "./sessions-empty";
import { SessionsSkeleton } from "./sessions-skeleton";
import type { SessionList } from "./use-sessions";

export interface SessionsPanelProps {
  readonly state: Polled<SessionList>;
  readonly baseUrl: string | null;
  readonly onRetry: () => void;
  readonly onShowMore: () => void;
}

export function SessionsPanel({ state, baseUrl, onRetry, onShowMore }: SessionsPanelProps) {
  const list = state.status === "loading" ? null : state.data;
  return (
    <Panel level={1} title="Sessions" note={list && <Counts {...list} />}>
      <div role="status">
        {state.status === "failed" && <ProblemAlert state={state} onRetry={onRetry} className="m-3" />}
      </div>
      {state.status === "loading" && <SessionsSkeleton />}
      {list?.sessions.length === 0 && <SessionsEmpty baseUrl={baseUrl} />}
      {state.status !== "loading" && list && list.sessions.length > 0 && (
        <SessionTable sessions={list.sessions} now={state.checkedAt} />
      )}
      {list?.more && (
        <div className="border-t p-3 text-center">
          <Button variant="outline" onClick={onShowMore}>
            Show more
          </Button>
        </div>
      )}
    </Panel>
  );
}

function Counts({ sessions, more }: SessionList) {
  if (sessions.length === 0) return null;
  const open = sessions.filter((session) => session.status === "active").length;
  return (
    <>
      {open} open, {sessions.length - open} closed{more && " among those shown"}
    </>
  );
}
