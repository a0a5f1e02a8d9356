import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { HumanBadge } from "@/identity/human-badge";
import type { RosterRow } from "@/sessions/roster-rows";
import { describeStatus, StatusMark } from "@/sessions/status-mark";
import { TeamBar } from "@/sessions/team-mark";

export interface RosterChipProps {
  readonly row: RosterRow;
  readonly expanded: boolean;
  readonly onOpen: (anchor: HTMLElement) => void;
}

/** A team of the roster in a line: its status, its name, and the one thing that most needs to be known of it. */
export function RosterChip({ row, expanded, onOpen }: RosterChipProps) {
  const { team, blocked, dnd, isMe } = row;
  const left = team.left_at !== null;
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-expanded={expanded}
      onClick={(event) => onOpen(event.currentTarget)}
      className={cn(
        "flex h-7 max-w-72 items-center md:max-w-80 gap-1.5 rounded-md border px-1.5 text-sm hover:bg-raised aria-expanded:bg-raised pointer-coarse:h-11",
        team.kind === "human" && "border-primary/50",
        blocked && "border-danger/50",
        left && "text-muted-foreground",
      )}
      title={describeStatus(team.status, blocked !== null, dnd !== null)}
    >
      <TeamBar colour={team.colour} className="h-4" />
      <StatusMark status={team.status} blocked={blocked !== null} dnd={dnd !== null} />
      <span dir="auto" className="max-w-40 shrink-0 truncate font-medium">
        {isMe ? "you" : team.team_name}
      </span>
      {!isMe && <HumanBadge kind={team.kind} />}
      <ChipFact row={row} />
    </button>
  );
}

function ChipFact({ row: { team, peers, blocked, dnd } }: { row: RosterRow }) {
  const muted = "truncate text-muted-foreground";
  if (team.left_at !== null) {
    return (
      <span className={muted}>
        left <TimeText at={team.left_at} />
      </span>
    );
  }
  if (blocked?.declared) {
    return (
      <span dir="auto" className="truncate text-danger">
        blocked <TimeText at={blocked.declared.at} />
        {blocked.declared.reason && ` “${blocked.declared.reason}”`}
      </span>
    );
  }
  if (dnd?.declared) {
    return (
      <span className={muted}>
        do not disturb <TimeText at={dnd.declared.at} />
      </span>
    );
  }
  const [peer] = peers;
  const role = peers.length === 1 ? peer?.role : null;
  return (
    <>
      {role && (
        <span dir="auto" className={muted}>
          {role}
        </span>
      )}
      {peers.length > 1 && <span className="text-muted-foreground tabular-nums">×{peers.length}</span>}
      {team.kind === "agent" && team.status !== "active" && (
        <span className={muted}>
          <TimeText at={team.last_seen_at} />
        </span>
      )}
    </>
  );
}
