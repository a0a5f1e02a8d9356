import type { Participant } from "@merkle/wire";
import type { Output } from "../command/output.js";
import { counted } from "../duration.js";
import { presenceSign } from "../presence-sign.js";
import { oneLine } from "../text/one-line.js";
import { type Cell, formatTable } from "../text/table.js";
import { toAge } from "../text/time.js";

const lettersMax = 8;

/** The teams that are there, each as a letter and a sign: `A● B◐ C○`. */
export function rosterCell(participants: readonly Participant[], output: Output): Cell {
  const present = inJoinOrder(participants).filter((team) => team.left_at === null);
  const letters = present
    .slice(0, lettersMax)
    .map((team) => `${initial(team.team_name)}${presenceSign(team, output)}`);
  const rest = present.length > lettersMax ? [`+${present.length - lettersMax}`] : [];
  return {
    text: [...letters, ...rest].join(" "),
    paint: () => [...letters.map((each, index) => output.teamColour(index)(each)), ...rest].join(" "),
  };
}

/** One line for each team: name, what it is, its status and since when. */
export function formatRoster(participants: readonly Participant[], output: Output): string {
  const rows = inJoinOrder(participants).map((team, index): Cell[] => [
    { text: `  ${oneLine(team.team_name)}`, paint: output.teamColour(index) },
    { text: team.kind },
    { text: `${presenceSign(team, output)} ${statusOf(team)}` },
    { text: lastSeen(team), paint: output.dim },
    { text: team.convener ? "convener" : "" },
    { text: team.peers > 0 ? counted(team.peers, "peer") : "" },
  ]);
  return formatTable(rows, { columns: output.columns, flexible: 0, more: output.signs.more });
}

function inJoinOrder(participants: readonly Participant[]): Participant[] {
  return [...participants].sort((a, b) => a.joined_at.localeCompare(b.joined_at));
}

function initial(name: string): string {
  return [...new Intl.Segmenter().segment(oneLine(name))][0]?.segment.toUpperCase() ?? "?";
}

function statusOf(team: Participant): string {
  if (team.left_at !== null) return "left";
  return team.polling ? `${team.status}, polling` : team.status;
}

function lastSeen(team: Participant): string {
  return team.left_at === null ? `last seen ${toAge(team.last_seen_at)}` : `left ${toAge(team.left_at)} ago`;
}
