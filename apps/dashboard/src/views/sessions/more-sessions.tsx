"use client";

import type { InputOf, Session } from "@merkle/wire";
import { type ReactNode, useState } from "react";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { Button } from "@/ui/button";
import { TableCell, TableRow } from "@/ui/table";
import { reading } from "./use-session-list";

export interface MoreSessionsProps {
  readonly next: InputOf<"list_sessions">;
  /** Ids of the sessions in the rows above. A session that became active in the meantime is not shown twice. */
  readonly shownIds: ReadonlySet<string>;
  readonly renderRow: (session: Session) => ReactNode;
}

/** The next page of sessions, loaded on request, as rows of the same table. */
export function MoreSessions({ next, shownIds, renderRow }: MoreSessionsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { data, problem, refresh } = useRead("list_sessions", isOpen ? next : null, reading);
  if (data === undefined) {
    return (
      <TableRow>
        <TableCell colSpan={5} className="p-3 text-center">
          {problem ? (
            <ProblemAlert problem={problem} title="Couldn't load more sessions." onRetry={refresh} />
          ) : (
            <Button variant="outline" disabled={isOpen} onClick={() => setIsOpen(true)}>
              Show more
            </Button>
          )}
        </TableCell>
      </TableRow>
    );
  }
  const newSessions = data.sessions.filter(({ session_id }) => !shownIds.has(session_id));
  return (
    <>
      {newSessions.map(renderRow)}
      {data.next_cursor !== null && (
        <MoreSessions
          next={{ ...next, before: data.next_cursor }}
          shownIds={new Set([...shownIds, ...newSessions.map(({ session_id }) => session_id)])}
          renderRow={renderRow}
        />
      )}
    </>
  );
}
