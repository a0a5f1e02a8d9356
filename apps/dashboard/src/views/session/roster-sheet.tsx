"use client";

import { TimeText } from "@/components/time-text";
import { HumanBadge } from "@/identity/human-badge";
import type { RosterRow } from "@/sessions/roster-rows";
import { StatusMark } from "@/sessions/status-mark";
import { TeamMark } from "@/sessions/team-mark";
import { Sheet, SheetContent, SheetHeader, SheetTitle } from "@/ui/sheet";
import { PeerActions } from "./peer-actions";
import { PeerFacts } from "./peer-facts";

/** All current and former teams with their peers, including those that do not fit in the bar. */
export function RosterSheet({ rows, onClose }: { rows: readonly RosterRow[]; onClose: () => void }) {
  const presentCount = rows.filter(({ team }) => team.left_at === null).length;
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()}>
      <SheetContent
        aria-describedby={undefined}
        className="overflow-hidden p-0 sm:p-0 open:grid-rows-[auto_minmax(0,1fr)] open:content-stretch open:gap-0"
      >
        <SheetHeader className="flex items-baseline gap-2 border-b px-4 py-3">
          <SheetTitle>All participants</SheetTitle>
          <p className="text-sm text-muted-foreground tabular-nums">
            {presentCount} present{rows.length > presentCount && `, ${rows.length - presentCount} left`}
          </p>
        </SheetHeader>
        <ul className="divide-y overflow-y-auto">
          {rows.map((row) => (
            <li key={row.team.team_id} className="grid gap-2 px-4 py-3">
              <RosterEntry row={row} onDone={onClose} />
            </li>
          ))}
        </ul>
      </SheetContent>
    </Sheet>
  );
}

function RosterEntry({ row, onDone }: { row: RosterRow; onDone: () => void }) {
  const { team, peers, blocked, dnd, isMe } = row;
  return (
    <>
      <h3 className="flex min-w-0 flex-wrap items-center gap-1.5">
        <TeamMark name={team.team_name} colour={team.colour} />
        <span dir="auto" className="min-w-0 font-medium break-words">
          {team.team_name}
        </span>
        {isMe && <span className="text-muted-foreground">(you)</span>}
        <HumanBadge kind={team.kind} />
        <span className="ml-auto text-sm text-muted-foreground">
          {team.left_at === null ? (
            <StatusMark status={team.status} isBlocked={blocked !== null} isDnd={dnd !== null} showsLabel />
          ) : (
            <>
              left <TimeText at={team.left_at} />
            </>
          )}
        </span>
      </h3>
      {team.folded && team.left_at === null && (
        <p className="text-sm text-muted-foreground">No activity yet</p>
      )}
      {peers.map((peer) => (
        <PeerFacts key={peer.peer_id} peer={peer} isAlone={peers.length === 1} />
      ))}
      <PeerActions row={row} onDone={onDone} />
    </>
  );
}
