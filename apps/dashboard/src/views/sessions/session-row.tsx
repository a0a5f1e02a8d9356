import type { Session } from "@merkle/wire";
import { CircleAlert } from "lucide-react";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { UnreadCount } from "@/components/unread-count";
import { useMediaQuery } from "@/core/use-media-query";
import { cn } from "@/core/utils";
import { StatusMark } from "@/sessions/status-mark";
import { TeamMark } from "@/sessions/team-mark";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Badge } from "@/ui/badge";
import { TableCell, TableRow } from "@/ui/table";

export interface SessionRowProps {
  readonly session: Session;
  readonly needsYou: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (isSelected: boolean) => void;
}

/** A session on one line; on a narrow screen on two, with the same facts. */
export function SessionRow({ session, needsYou, isSelected, onSelect }: SessionRowProps) {
  const { title, slug, description } = session;
  const isWide = useMediaQuery("(min-width: 64rem)");
  return (
    <TableRow data-selected={isSelected || undefined} className="data-selected:bg-raised hover:bg-surface">
      <TableCell className={cn(cell, "pr-0")}>
        <label className="-m-1 inline-grid size-6 place-items-center align-middle pointer-coarse:-mx-3.5 pointer-coarse:my-0 pointer-coarse:size-11">
          <input
            type="checkbox"
            aria-label={`Select ${title}`}
            checked={isSelected}
            onChange={(event) => onSelect(event.target.checked)}
            className="size-4 accent-primary"
          />
        </label>
      </TableCell>
      <TableCell className={cn(cell, "relative pl-1")}>
        <div className="flex min-w-0 items-center gap-2 max-[18rem]:flex-wrap">
          {needsYou && <NeedsMark />}
          <PageLink
            href={`/sessions/${slug}`}
            dir="auto"
            data-session-link
            // A press anywhere in the cell opens the session.
            className="min-w-0 truncate font-medium max-[18rem]:basis-full max-[18rem]:text-wrap after:absolute after:inset-0 hover:underline"
            title={description === "" ? title : `${title}\n${description}`}
          >
            {title}
          </PageLink>
          <StateWords session={session} />
          {!isWide && (
            <span className="ml-auto flex shrink-0 items-center gap-2">
              <Unread count={session.unread} words />
              <LastSaidAt session={session} />
            </span>
          )}
        </div>
        {!isWide && (
          <div className="flex min-w-0 items-center gap-2 text-xs">
            <LatestText session={session} />
            <TeamStack teams={session.present} total={session.teams} shownMax={2} />
          </div>
        )}
      </TableCell>
      {isWide && (
        <>
          <TableCell className={cell}>
            <TeamStack teams={session.present} total={session.teams} shownMax={3} />
          </TableCell>
          <TableCell className={cell}>
            <div className="flex min-w-0 items-center gap-2">
              <LatestText session={session} />
              <LastSaidAt session={session} />
            </div>
          </TableCell>
          <TableCell className={cn(cell, "text-right tabular-nums")}>
            <Unread count={session.unread} />
          </TableCell>
        </>
      )}
    </TableRow>
  );
}

const cell = "h-9.5 py-0 align-middle pointer-coarse:h-11";

function NeedsMark() {
  return (
    <span title="Needs you" className="shrink-0 text-warning">
      <CircleAlert aria-hidden className="size-4" />
      <span className="sr-only">Needs you:</span>
    </span>
  );
}

function StateWords({ session }: { session: Session }) {
  if (session.status === "closed") {
    return (
      <Badge variant="outline">
        closed
        {session.closed_at !== null && <TimeText at={session.closed_at} />}
      </Badge>
    );
  }
  return (
    <>
      {session.held && <Badge variant="warning">held by {session.held.by}</Badge>}
      {session.quiet_since !== null && <Badge variant="outline">quiet</Badge>}
    </>
  );
}

/**
 * The author and first line of the last chat message. For a closed session its conclusion, and before the first message
 * its description.
 */
function LatestText({ session }: { session: Session }) {
  const { archived_at, conclusion, description, last_said_at, last_said_by, last_said_text, status } =
    session;
  const isSaid = last_said_at !== null && (status === "active" || conclusion === null);
  const text = isSaid
    ? (last_said_text ?? "private or removed message")
    : (conclusion ?? (description || (archived_at === null ? "no messages yet" : "archived")));
  return (
    <span className="min-w-0 flex-1 truncate text-muted-foreground" title={text}>
      {isSaid && (
        <>
          <bdi className="text-foreground">{last_said_by}</bdi>:{" "}
        </>
      )}
      <bdi>{showHidden(text)}</bdi>
    </span>
  );
}

function LastSaidAt({ session: { last_said_at } }: { session: Session }) {
  if (last_said_at === null) return null;
  return <TimeText at={last_said_at} className="text-xs text-muted-foreground tabular-nums" />;
}

/** The number of unread messages. Shows a dot if the number is 0 or unknown. */
function Unread({ count, words = false }: { count: number | null; words?: boolean }) {
  if (count === null || count === 0) {
    if (words) return null;
    return (
      <span className="text-muted-foreground">
        <span aria-hidden>·</span>
        <span className="sr-only">none new</span>
      </span>
    );
  }
  return (
    <span className="rounded-full bg-primary px-1.5 text-xs leading-5 font-medium text-primary-foreground">
      <UnreadCount count={count} />
    </span>
  );
}

interface TeamStackProps {
  readonly teams: Session["present"];
  /** The total number of teams, including those not shown. */
  readonly total: number;
  readonly shownMax: number;
}

/** The teams of a session, each as a coloured monogram with its status. Teams at work come first. */
function TeamStack({ teams, total, shownMax }: TeamStackProps) {
  if (total === 0) return <span className="text-muted-foreground">no one</span>;
  const shownTeams = teams.toSorted((a, b) => computeRank(a) - computeRank(b)).slice(0, shownMax);
  return (
    <ul aria-label="Teams" className="flex shrink-0 items-center gap-x-2.5">
      {shownTeams.map((team) => (
        <li key={team.team_id} title={describeTeam(team)} className="flex items-center gap-1">
          <TeamMark name={team.team_name} colour={team.colour} />
          <StatusMark status={team.status} isBlocked={team.blocked} isDnd={team.dnd} />
          <span className="sr-only">{describeTeam(team)}</span>
        </li>
      ))}
      {total > shownTeams.length && (
        <li className="text-xs text-muted-foreground">+{total - shownTeams.length}</li>
      )}
    </ul>
  );
}

function computeRank({ blocked, status }: Session["present"][number]): number {
  return blocked ? 0 : { active: 1, idle: 2, disconnected: 3 }[status];
}

function describeTeam({ team_name, kind }: Session["present"][number]): string {
  return kind === "agent" ? team_name : `${team_name}, ${kind}`;
}
