import { formatUnread, type Participant, type PresentTeam, type Session } from "@merkle/wire";
import type { Output } from "../command/output.js";
import { formatDeclared, toPresenceSign, toStateSign } from "../sessions/peer-names.js";
import { assignTeamMarks } from "../sessions/team-marks.js";
import { toOneLine } from "../text/one-line.js";
import { type Cell, formatTable } from "../text/table.js";
import { formatCount, toAge } from "../text/time.js";

/** Formats one line per session: slug, title, present teams, last message, document version and unread count. */
export function formatSessions(sessions: readonly Session[], output: Output): string {
  const rows = sessions.map((session): Cell[] => [
    { text: session.slug, paint: output.bold },
    { text: toOneLine(session.title) },
    formatPresentTeams(session, output),
    { text: describeLastEvent(session), paint: output.dim },
    { text: session.document_version === 0 ? "" : `v${session.document_version}` },
    { text: formatUnread(session.unread) },
  ]);
  return formatTable(rows, { columns: output.columns, flexible: [0, 1], more: output.signs.more });
}

function describeLastEvent({
  archived_at: archivedAt,
  closed_at: closedAt,
  last_said_at: saidAt,
}: Session): string {
  if (archivedAt !== null) return `archived ${toAge(archivedAt)}`;
  if (closedAt !== null) return `closed ${toAge(closedAt)}`;
  return saidAt === null ? "no messages" : `posted ${toAge(saidAt)}`;
}

const lettersMax = 8;

/**
 * Formats the present teams, each as its mark and a presence symbol, such as `A● B◐ C○`. Empty for a closed
 * session, in which presence no longer matters.
 */
function formatPresentTeams({ session_closed, present, teams }: Session, output: Output): Cell {
  if (session_closed) return { text: "" };
  const marks = assignTeamMarks(present.map((team) => team.team_name));
  const letters = present
    .slice(0, lettersMax)
    .map((team, index) => `${marks[index]}${toTeamSign(team, output)}`);
  const rest = teams > letters.length ? [`+${teams - letters.length}`] : [];
  const text = [...letters, ...rest].join(" ");
  const painted = [...letters.map((each, index) => output.teamColour(index)(each)), ...rest].join(" ");
  // Leave a truncated cell without colours, because the colours apply only to the full text.
  return { text, paint: (shown) => (shown === text ? painted : shown) };
}

function toTeamSign({ status, blocked, dnd }: PresentTeam, output: Output): string {
  if (blocked) return output.signs.blocked;
  return dnd ? output.signs.dnd : toPresenceSign({ presence: status, left_at: null }, output);
}

/** Formats one line per team: name, kind, status and when it was last seen. */
export function formatRoster(participants: readonly Participant[], output: Output): string {
  const rows = sortByJoinTime(participants).map((team, index): Cell[] => [
    { text: `  ${toOneLine(team.team_name)}`, paint: output.teamColour(index) },
    { text: team.kind },
    { text: `${toStateSign(withPresence(team), output)} ${describeTeamStatus(team)}` },
    { text: describeLastSeen(team), paint: output.dim },
    { text: team.convener ? "convener" : "" },
    { text: team.peers > 0 ? formatCount(team.peers, "peer") : "" },
  ]);
  return formatTable(rows, {
    columns: output.columns,
    flexible: [[2, 40], [0, 24], [2, 24], [0, 16], 2],
    more: output.signs.more,
  });
}

function sortByJoinTime(participants: readonly Participant[]): Participant[] {
  return [...participants].sort((a, b) => a.joined_at.localeCompare(b.joined_at));
}

/** Makes a team usable where a peer is expected: the team's observed status becomes the presence. */
function withPresence(team: Participant) {
  return { ...team, presence: team.status };
}

function describeTeamStatus(team: Participant): string {
  if (team.left_at !== null) return "left";
  const presence = team.status === "disconnected" ? "away" : team.status;
  return [formatDeclared(team), presence, team.polling ? "waiting for messages" : ""]
    .filter(Boolean)
    .join(", ");
}

function describeLastSeen(team: Participant): string {
  return team.left_at === null ? `last seen ${toAge(team.last_seen_at)}` : `left ${toAge(team.left_at)} ago`;
}
