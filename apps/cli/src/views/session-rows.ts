import { formatUnread, type Participant, type PresentTeam, type Session } from "@merkle/wire";
import { type Column, formatRows } from "../command/list.js";
import type { Output } from "../command/output.js";
import { formatDeclared, toPresenceSign, toStateSign } from "../sessions/peer-names.js";
import { assignTeamMarks } from "../sessions/team-marks.js";
import type { Cell } from "../text/list-layout.js";
import { toOneLine } from "../text/one-line.js";
import { formatCount, toAge } from "../text/time.js";

/** Returns the columns of a list of sessions. */
export function listSessionColumns(output: Output): Column<Session>[] {
  return [
    { head: "Session", cell: ({ slug }) => ({ text: slug, paint: output.bold }) },
    { head: "Title", widthMin: 16, cell: ({ title }) => toOneLine(title) },
    { head: "Teams", isOptional: true, cell: (session) => formatPresentTeams(session, output) },
    {
      head: "Last message",
      isOptional: true,
      cell: (session) => ({ text: describeLastEvent(session), paint: output.dim }),
    },
    {
      head: "Document",
      isOptional: true,
      cell: ({ document_version: version }) => (version === 0 ? "" : `v${version}`),
    },
    { head: "Unread", cell: ({ unread }) => formatUnread(unread) },
  ];
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
  const teams = sortByJoinTime(participants);
  const columns: Column<Participant>[] = [
    {
      head: "  Team",
      cell: (team) => ({
        text: `  ${toOneLine(team.team_name)}`,
        paint: output.teamColour(teams.indexOf(team)),
      }),
    },
    { head: "Kind", isOptional: true, cell: ({ kind }) => kind },
    {
      head: "Status",
      widthMin: 12,
      cell: (team) => `${toStateSign(withPresence(team), output)} ${describeTeamStatus(team)}`,
    },
    {
      head: "Last seen",
      isOptional: true,
      cell: (team) => ({ text: describeLastSeen(team), paint: output.dim }),
    },
    { head: "", isOptional: true, cell: ({ convener }) => (convener ? "convener" : "") },
    { head: "Peers", isOptional: true, cell: ({ peers }) => (peers > 0 ? formatCount(peers, "peer") : "") },
  ];
  return formatRows(teams, columns, output);
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
