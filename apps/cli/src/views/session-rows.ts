import { type Participant, type Session, unreadText } from "@merkle/wire";
import type { BrokerClient } from "../broker/broker-client.js";
import type { Output } from "../command/output.js";
import { inParallel } from "../core/in-parallel.js";
import { declaredText, signOf } from "../sessions/peer-names.js";
import { teamMarks } from "../sessions/team-marks.js";
import { oneLine } from "../text/one-line.js";
import { type Cell, formatTable } from "../text/table.js";
import { counted, toAge } from "../text/time.js";

interface RowOptions {
  readonly broker: Pick<BrokerClient, "call">;
  readonly output: Output;
}

const rostersAtOnce = 8;

/**
 * Formats one line per session: slug, title, present teams, last message, document version and unread count.
 */
export async function formatSessions(
  sessions: readonly Session[],
  { broker, output }: RowOptions,
): Promise<string> {
  const rows = await inParallel(
    sessions,
    rostersAtOnce,
    async (session): Promise<Cell[]> => [
      { text: session.slug, paint: output.bold },
      { text: oneLine(session.title) },
      await teamsCell(session, { broker, output }),
      { text: lastEvent(session), paint: output.dim },
      { text: session.document_version === 0 ? "" : `v${session.document_version}` },
      { text: unreadText(session.unread) },
    ],
  );
  return formatTable(rows, { columns: output.columns, flexible: [0, 1], more: output.signs.more });
}

/**
 * Returns the cell with the session's teams. Empty for a closed session, in which presence no longer matters.
 */
async function teamsCell(session: Session, { broker, output }: RowOptions): Promise<Cell> {
  if (session.session_closed || session.teams === 0) return { text: "" };
  const { participants } = await broker.call("list_participants", { session_id: session.session_id });
  return rosterCell(participants, output);
}

function lastEvent({ archived_at: archivedAt, closed_at: closedAt, last_said_at: saidAt }: Session): string {
  if (archivedAt !== null) return `archived ${toAge(archivedAt)}`;
  if (closedAt !== null) return `closed ${toAge(closedAt)}`;
  return saidAt === null ? "no messages" : `posted ${toAge(saidAt)}`;
}

const lettersMax = 8;

/** Formats the present teams, each as its mark and a presence symbol, such as `A● B◐ C○`. */
function rosterCell(participants: readonly Participant[], output: Output): Cell {
  const present = inJoinOrder(participants).filter((team) => team.left_at === null);
  const marks = teamMarks(present.map((team) => team.team_name));
  const letters = present
    .slice(0, lettersMax)
    .map((team, index) => `${marks[index]}${signOf(toSeen(team), output)}`);
  const rest = present.length > lettersMax ? [`+${present.length - lettersMax}`] : [];
  const text = [...letters, ...rest].join(" ");
  const painted = [...letters.map((each, index) => output.teamColour(index)(each)), ...rest].join(" ");
  // Leave a truncated cell without colours, because the colours apply only to the full text.
  return { text, paint: (shown) => (shown === text ? painted : shown) };
}

/** Formats one line per team: name, kind, status and when it was last seen. */
export function formatRoster(participants: readonly Participant[], output: Output): string {
  const rows = inJoinOrder(participants).map((team, index): Cell[] => [
    { text: `  ${oneLine(team.team_name)}`, paint: output.teamColour(index) },
    { text: team.kind },
    { text: `${signOf(toSeen(team), output)} ${statusOf(team)}` },
    { text: lastSeen(team), paint: output.dim },
    { text: team.convener ? "convener" : "" },
    { text: team.peers > 0 ? counted(team.peers, "peer") : "" },
  ]);
  return formatTable(rows, {
    columns: output.columns,
    flexible: [[2, 40], [0, 24], [2, 24], [0, 16], 2],
    more: output.signs.more,
  });
}

function inJoinOrder(participants: readonly Participant[]): Participant[] {
  return [...participants].sort((a, b) => a.joined_at.localeCompare(b.joined_at));
}

/** Makes a team usable where a peer is expected: the team's observed status becomes the presence. */
function toSeen(team: Participant) {
  return { ...team, presence: team.status };
}

function statusOf(team: Participant): string {
  if (team.left_at !== null) return "left";
  const seen = team.status === "disconnected" ? "away" : team.status;
  return [declaredText(team), seen, team.polling ? "waiting for messages" : ""].filter(Boolean).join(", ");
}

function lastSeen(team: Participant): string {
  return team.left_at === null ? `last seen ${toAge(team.last_seen_at)}` : `left ${toAge(team.left_at)} ago`;
}
