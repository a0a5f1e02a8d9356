import type { Output } from "../../command/output.js";
import { indent } from "../../feed/format-message.js";
import { inOrderOfState, paintState, peerName, signOf, stateText } from "../../sessions/peer-names.js";
import { isolated, oneLine } from "../../text/one-line.js";
import { cutToWidth, displayWidth } from "../../text/table.js";
import { counted, toAge } from "../../text/time.js";
import { wrapLine } from "../../text/wrap-line.js";
import { needText } from "../needs.js";
import { type Board, isShown } from "./board.js";
import type { Cursor } from "./screen.js";

interface Size {
  readonly columns: number;
  readonly rows: number;
}

type Look = Pick<Output, "alarm" | "bold" | "dim" | "dot" | "signs">;

const needsShownMax = 4;
const rosterLinesMax = 3;
const titleColumnsMin = 12;
const messageLinesMax = 24;

/**
 * Lays out all lines of the screen: title, needs, roster, the last messages, and a line with either the keys
 * or the text being typed.
 */
export function layOut(board: Board, size: Size, look: Look): { lines: string[]; cursor: Cursor | null } {
  const rule = look.dim(look.signs.rule.repeat(size.columns));
  const head = [
    titleLine(board, size, look),
    ...needLines(board, size, look),
    ...rosterLines(board, size, look),
    rule,
  ];
  const said = board.draft === null ? "" : cutToWidth(oneLine(board.notice), size.columns, look.signs.more);
  const foot = [said || rule, footLine(board, size, look)];
  // On a terminal with few lines, the messages are more important than the part above them.
  const shownHead = head.slice(0, Math.max(1, Math.floor(size.rows / 2)));
  const room = Math.max(0, size.rows - shownHead.length - foot.length);
  const feed = feedLines(board, room, size, look);
  const blank = Array.from({ length: room - feed.length }, () => "");
  const lines = [...shownHead, ...feed, ...blank, ...foot].slice(0, size.rows);
  return { lines, cursor: cursorOf(board, lines.length, size) };
}

function titleLine({ facts: { session } }: Board, { columns }: Size, look: Look): string {
  const { message_budget: budget } = session.settings;
  const facts = [
    session.session_closed ? "closed" : session.held ? "held" : "open",
    counted(session.last_sequence, "message"),
    session.document_version === 0 ? "no document yet" : `document v${session.document_version}`,
    budget > 0 ? `agents posted ${session.agent_messages} of ${budget}` : "",
    session.last_said_at === null ? "" : `last message ${toAge(session.last_said_at)} ago`,
  ].filter((each) => each !== "");
  const inLine = () => facts.join(` ${look.dot} `);
  // Leave out some facts if the title would otherwise get less than half of the line.
  const room = columns - 2 - Math.min(displayWidth(oneLine(session.title)), Math.ceil(columns / 2));
  while (facts.length > 2 && displayWidth(inLine()) > room) facts.splice(1, 1);
  const right = cutToWidth(inLine(), columns, look.signs.more);
  const left = columns - displayWidth(right) - 2;
  const isNarrow = left < titleColumnsMin;
  const title = cutToWidth(oneLine(session.title), isNarrow ? columns : left, look.signs.more);
  if (isNarrow) return look.bold(isolated(title));
  return `${look.bold(isolated(title))}${" ".repeat(left - displayWidth(title))}  ${look.dim(right)}`;
}

function needLines({ facts: { needs } }: Board, { columns }: Size, look: Look): string[] {
  const shown = needs
    .slice(0, needsShownMax)
    .map((need) =>
      look.alarm(cutToWidth(`${look.signs.blocked} ${needText(need)}`, columns, look.signs.more)),
    );
  if (shown.length === 0) return [];
  const more = needs.length - shown.length;
  const rest = more > 0 ? [look.dim(`  and ${more} more: merkle ls --needs`)] : [];
  return [look.alarm(look.bold(`NEEDS YOU ${needs.length}`)), ...shown, ...rest];
}

/**
 * Formats the roster with several peers per line. If some peers do not fit, the last line gives their number.
 */
function rosterLines({ facts: { peers } }: Board, { columns }: Size, look: Look): string[] {
  const lines: string[] = [];
  let line = "";
  let width = 0;
  const chips = inOrderOfState(peers.filter((peer) => peer.left_at === null)).map((peer) => ({
    text: cutToWidth(
      `${signOf(peer, look)} ${isolated(peerName(peer.team, peer.name))} ${stateText(peer)}`,
      columns,
      look.signs.more,
    ),
    paint: paintState(peer, look),
  }));
  for (const [index, { text, paint }] of chips.entries()) {
    const chipWidth = displayWidth(text);
    if (width > 0 && width + 3 + chipWidth > columns) {
      lines.push(line);
      line = "";
      width = 0;
      if (lines.length === rosterLinesMax) return [...lines, look.dim(`+${chips.length - index} more`)];
    }
    line += `${width > 0 ? "   " : ""}${paint(text)}`;
    width += (width > 0 ? 3 : 0) + chipWidth;
  }
  return line === "" ? lines : [...lines, line];
}

function feedLines({ messages, filter }: Board, room: number, { columns }: Size, look: Look): string[] {
  const lines: string[] = [];
  for (const { message, text } of messages.toReversed()) {
    if (lines.length >= room) break;
    if (!isShown(message, filter)) continue;
    const own = text.split("\n").flatMap((line) => wrapLine(line, columns, indent));
    const hidden = own.length - messageLinesMax;
    const shown =
      hidden > 0
        ? [...own.slice(0, messageLinesMax), look.dim(`${indent}${counted(hidden, "more line")}`)]
        : own;
    lines.unshift(...shown);
  }
  const [oldest] = messages;
  if (lines.length === 0 && oldest) {
    const none = `  no ${filter} since #${oldest.message.sequence}`;
    lines.push(look.dim(cutToWidth(none, columns, look.signs.more)));
  }
  return room === 0 ? [] : lines.slice(-room);
}

const prompt = "say: ";

function footLine({ draft, notice, filter }: Board, { columns }: Size, look: Look): string {
  if (draft !== null) return `${look.bold(prompt)}${draftShown(draft, columns)}`;
  const keys = `${filter}  ${look.dot}  q quit  f filter  c compose  o browser`;
  const room = columns - displayWidth(keys) - 3;
  const said = cutToWidth(oneLine(notice), Math.max(0, room), look.signs.more);
  return room < 4 || said === ""
    ? look.dim(cutToWidth(keys, columns, look.signs.more))
    : `${look.dim(keys)}   ${said}`;
}

/**
 * Returns the part of a draft that fits on the line. For a long draft this is the end, where the user types.
 */
function draftShown(draft: string, columns: number): string {
  const room = columns - prompt.length - 1;
  let shown = [...draft];
  while (displayWidth(shown.join("")) > room) shown = shown.slice(1);
  return shown.join("");
}

function cursorOf({ draft }: Board, lines: number, { columns }: Size): Cursor | null {
  if (draft === null) return null;
  return { row: lines - 1, column: prompt.length + displayWidth(draftShown(draft, columns)) };
}
