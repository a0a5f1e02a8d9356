import type { Session } from "@merkle/wire";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { UnreadCount } from "@/components/unread-count";
import { StatusMark } from "@/sessions/status-mark";
import { TeamMark } from "@/sessions/team-mark";
import { Badge } from "@/ui/badge";
import { TableCell, TableRow } from "@/ui/table";
import { wideOnly } from "./session-table";

export interface SessionRowProps {
  readonly session: Session;
  readonly needsYou: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (isSelected: boolean) => void;
}

export function SessionRow({ session, needsYou, isSelected, onSelect }: SessionRowProps) {
  const { title, slug, document_version } = session;
  const documentLabel = document_version === 0 ? "empty" : `v${document_version}`;
  return (
    <TableRow data-selected={isSelected || undefined} className="data-selected:bg-raised hover:bg-surface">
      <TableCell className="pr-0 align-top">
        <label className="-m-1 inline-grid size-6 place-items-center pointer-coarse:-mx-3.5 pointer-coarse:my-0 pointer-coarse:size-11">
          <input
            type="checkbox"
            aria-label={`Select ${title}`}
            checked={isSelected}
            onChange={(event) => onSelect(event.target.checked)}
            className="size-4 accent-primary"
          />
        </label>
      </TableCell>
      <TableCell className="pl-1">
        <div className="flex min-w-0 items-start gap-2">
          {needsYou && <NeedsMark />}
          <PageLink
            href={`/sessions/${slug}`}
            dir="auto"
            data-session-link
            className="flex min-h-6 min-w-0 items-center font-medium hover:underline pointer-coarse:min-h-11"
            title={title}
          >
            <span className="line-clamp-2 min-w-0 break-words">{title}</span>
          </PageLink>
          <span className="flex gap-2 pointer-coarse:mt-2.5 max-sm:flex-col max-sm:items-end max-sm:gap-1">
            <StateWords session={session} />
          </span>
        </div>
        <SecondLine session={session} />
        <Narrow>
          <TeamStack teams={session.present} total={session.teams} />
          <LastSaid session={session} />
          <span>{document_version === 0 ? "no document" : `document ${documentLabel}`}</span>
          <Unread count={session.unread} words />
        </Narrow>
      </TableCell>
      <TableCell className={wideOnly}>
        <TeamStack teams={session.present} total={session.teams} />
      </TableCell>
      <TableCell className={`${wideOnly} truncate text-muted-foreground`}>
        <LastSaid session={session} />
      </TableCell>
      <TableCell className={`${wideOnly} text-right text-muted-foreground tabular-nums`}>
        {documentLabel}
      </TableCell>
      <TableCell className={`${wideOnly} text-right tabular-nums`}>
        <Unread count={session.unread} />
      </TableCell>
    </TableRow>
  );
}

function NeedsMark() {
  return (
    <span title="Needs you" className="mt-1 text-warning pointer-coarse:mt-3.5">
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

/** The session's description or, once it is closed, its conclusion. */
function SecondLine({ session: { slug, status, description, conclusion } }: { session: Session }) {
  const line = status === "closed" && conclusion !== null ? conclusion : description;
  return (
    <div className="truncate text-sm text-muted-foreground">
      {line === "" ? (
        <span className="font-mono text-xs">{slug}</span>
      ) : (
        <span dir="auto" title={line}>
          {line}
        </span>
      )}
    </div>
  );
}

function LastSaid({ session: { archived_at, last_said_at, last_said_by } }: { session: Session }) {
  if (last_said_at === null) return <span>{archived_at === null ? "no messages yet" : "archived"}</span>;
  return (
    <span className="tabular-nums">
      <bdi>{last_said_by}</bdi> <TimeText at={last_said_at} />
    </span>
  );
}

/** The columns that do not fit, combined into one line. */
function Narrow({ children }: { children: ReactNode }) {
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted-foreground lg:hidden">
      {children}
    </div>
  );
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
}

const shownMax = 5;

/** The teams of a session, each as a coloured monogram with its status. */
function TeamStack({ teams, total }: TeamStackProps) {
  if (total === 0) return <span className="text-muted-foreground">no one</span>;
  const shownTeams = teams.slice(0, shownMax);
  return (
    <ul aria-label="Teams" className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
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

function describeTeam({ team_name, kind }: Session["present"][number]): string {
  return kind === "agent" ? team_name : `${team_name}, ${kind}`;
}
