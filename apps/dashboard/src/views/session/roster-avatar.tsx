import { TimeText } from "@/components/time-text";
import { UnreadCount } from "@/components/unread-count";
import { cn } from "@/core/utils";
import type { RosterFact } from "@/parts/feature";
import { toMonogram } from "@/sessions/monogram";
import type { RosterRow } from "@/sessions/roster-rows";
import { StatusMark } from "@/sessions/status-mark";
import { toTeamColour } from "@/sessions/team-colour";
import { TeamBar } from "@/sessions/team-mark";

export interface RosterAvatarProps {
  readonly row: RosterRow;
  /** Current activity of the team's agent. Undefined for a human's team, and while loading. */
  readonly agent: RosterFact | undefined;
  /** Whether the team's card is open. */
  readonly isExpanded: boolean;
  /** Called with the avatar when the mouse or the keyboard focus reaches it, and with null when the focus leaves it. */
  readonly onPreview: (anchor: HTMLElement | null) => void;
  readonly onOpen: (anchor: HTMLElement) => void;
}

/** A team in the roster: its monogram and status. A screen reader gets its current work, too. */
export function RosterAvatar({ row, agent, isExpanded, onPreview, onOpen }: RosterAvatarProps) {
  const { team, blocked, dnd, isMe } = row;
  const { className: colour } = toTeamColour(team.colour);
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-expanded={isExpanded}
      onPointerEnter={({ currentTarget, pointerType }) => pointerType === "mouse" && onPreview(currentTarget)}
      onFocus={({ currentTarget }) => currentTarget.matches(":focus-visible") && onPreview(currentTarget)}
      onBlur={() => onPreview(null)}
      onClick={({ currentTarget }) => onOpen(currentTarget)}
      className={cn(
        "relative flex size-7 items-center gap-0.5 rounded-md border px-0.5 hover:bg-raised aria-expanded:bg-raised pointer-coarse:size-11 pointer-coarse:px-1.5",
        team.kind === "human" && "border-primary/50",
        isStuck(row, agent) && "border-warning bg-highlight/40",
        team.left_at !== null && "opacity-60",
      )}
    >
      <TeamBar colour={team.colour} className="h-4" />
      <span aria-hidden className={cn("flex-1 text-center font-mono text-[0.6875rem] font-medium", colour)}>
        {toMonogram(team.team_name)}
      </span>
      <span className="sr-only">{isMe ? "you" : team.team_name}, </span>
      <StatusMark
        status={team.status}
        isBlocked={blocked !== null}
        isDnd={dnd !== null}
        className="absolute -right-1 -bottom-1 rounded-full bg-background p-px pointer-coarse:right-0 pointer-coarse:bottom-0"
      />
      <span className="sr-only">
        : <Now row={row} agent={agent} />
        <AgentUnread agent={agent} />
      </span>
    </button>
  );
}

/** Whether the team's agent cannot continue without a human. */
export function isStuck({ blocked }: RosterRow, agent: RosterFact | undefined): boolean {
  return blocked !== null || agent?.wait?.human === true;
}

/** The number of messages that the team's agent has not read. */
export function AgentUnread({ agent }: Pick<RosterAvatarProps, "agent">) {
  return agent !== undefined && agent.unread > 0 && <UnreadCount count={agent.unread} isAgents />;
}

/** The team's current work and since when, in the team's own words if it reported its work. */
export function Now({ row: { team, blocked, dnd }, agent }: Pick<RosterAvatarProps, "row" | "agent">) {
  const muted = "min-w-0 break-words text-muted-foreground";
  const renderSince = (at: string) => <TimeText at={at} className="shrink-0 text-muted-foreground" />;
  if (team.left_at !== null) return <span className={muted}>left {renderSince(team.left_at)}</span>;
  if (blocked?.declared) {
    return (
      <>
        <span dir="auto" className="min-w-0 font-medium break-words text-warning">
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
        <span dir="auto" className="min-w-0 font-medium break-words text-warning">
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
