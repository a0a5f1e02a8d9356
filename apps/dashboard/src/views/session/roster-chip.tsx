import { CircleAlert } from "lucide-react";
import { TimeText } from "@/components/time-text";
import { UnreadCount } from "@/components/unread-count";
import { cn } from "@/core/utils";
import { HumanBadge } from "@/identity/human-badge";
import type { RosterFact } from "@/parts/feature";
import type { RosterRow } from "@/sessions/roster-rows";
import { describeStatus, StatusMark } from "@/sessions/status-mark";
import { TeamBar } from "@/sessions/team-mark";

export interface RosterChipProps {
  readonly row: RosterRow;
  /** Current activity of the team's agent. Undefined for a human's team, and while loading. */
  readonly agent: RosterFact | undefined;
  readonly isExpanded: boolean;
  readonly onOpen: (anchor: HTMLElement) => void;
}

/** A team in the roster: its name and, on a wide screen, its current work. */
export function RosterChip({ row, agent, isExpanded, onOpen }: RosterChipProps) {
  const { team, peers, blocked, dnd, isMe } = row;
  const hasLeft = team.left_at !== null;
  const isStuck = blocked !== null || agent?.wait?.human === true;
  const role = peers.length === 1 ? peers[0]?.role : null;
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-expanded={isExpanded}
      onClick={(event) => onOpen(event.currentTarget)}
      className={cn(
        "flex h-7 max-w-72 items-stretch gap-2 rounded-md border px-1.5 py-1 text-left text-sm hover:bg-raised aria-expanded:bg-raised md:h-12 md:w-full md:rounded-lg md:px-2 short:h-7 short:w-auto pointer-coarse:h-11 md:pointer-coarse:h-12",
        team.kind === "human" && "border-primary/50",
        isStuck && "border-warning bg-highlight/40",
        hasLeft && "text-muted-foreground",
      )}
      title={[describeStatus(team.status, blocked !== null, dnd !== null), agent?.usage]
        .filter(Boolean)
        .join(", ")}
    >
      <TeamBar colour={team.colour} />
      <span className="flex min-w-0 flex-1 flex-col justify-center">
        <span className="flex min-w-0 items-center gap-1.5 leading-5">
          <StatusMark status={team.status} isBlocked={blocked !== null} isDnd={dnd !== null} />
          <span dir="auto" className={cn("truncate font-medium", role ? "max-w-7/10 shrink-0" : "min-w-0")}>
            {isMe ? "you" : team.team_name}
          </span>
          {!isMe && <HumanBadge kind={team.kind} />}
          {role && (
            <span dir="auto" className="min-w-0 truncate text-muted-foreground">
              {role}
            </span>
          )}
          {peers.length > 1 && <span className="text-muted-foreground tabular-nums">×{peers.length}</span>}
          <span className="ml-auto flex shrink-0 items-center gap-1.5 pl-1">
            {agent !== undefined && agent.unread > 0 && (
              <span className="text-xs text-muted-foreground">
                <UnreadCount count={agent.unread} isAgents />
              </span>
            )}
            {isStuck && <CircleAlert aria-hidden className="size-3.5 text-warning" />}
          </span>
        </span>
        <span className="flex min-w-0 items-baseline gap-1.5 text-xs max-md:hidden short:hidden">
          <Now row={row} agent={agent} />
        </span>
      </span>
    </button>
  );
}

/** The team's current work and since when, in the team's own words if it reported its work. */
function Now({ row: { team, blocked, dnd }, agent }: Pick<RosterChipProps, "row" | "agent">) {
  const muted = "min-w-0 truncate text-muted-foreground";
  const renderSince = (at: string) => <TimeText at={at} className="shrink-0 text-muted-foreground" />;
  if (team.left_at !== null) return <span className={muted}>left {renderSince(team.left_at)}</span>;
  if (blocked?.declared) {
    return (
      <>
        <span dir="auto" className="min-w-0 truncate font-medium text-warning">
          blocked: {blocked.declared.reason}
        </span>
        {renderSince(blocked.declared.at)}
      </>
    );
  }
  const wait = agent?.wait;
  if (wait) {
    return (
      <>
        <span dir="auto" className="min-w-0 truncate font-medium text-warning">
          waits for {wait.target}: {wait.text}
        </span>
        {renderSince(wait.since)}
      </>
    );
  }
  if (dnd?.declared) return <span className={muted}>do not disturb {renderSince(dnd.declared.at)}</span>;
  if (agent === undefined)
    return (
      <span className={muted}>
        {describePresence(team.status)} {renderSince(team.last_seen_at)}
      </span>
    );
  const { activity } = agent;
  return (
    <>
      <span dir="auto" className={cn(muted, activity.isQuoted && "text-foreground")}>
        {activity.text}
      </span>
      {renderSince(activity.since)}
    </>
  );
}

function describePresence(status: RosterRow["team"]["status"]): string {
  return status === "disconnected" ? "seen" : "here";
}
