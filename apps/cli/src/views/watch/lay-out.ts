import type { Output } from "../../command/output.js";
import { indent } from "../../feed/format-message.js";
import {
  formatPeerAddress,
  formatState,
  paintState,
  sortByState,
  toStateSign,
} from "../../sessions/peer-names.js";
import { cutToWidth, displayWidth } from "../../text/display-width.js";
import { isolateRightToLeft, toOneLine } from "../../text/one-line.js";
import { formatCount, toAge } from "../../text/time.js";
import { wrapLine } from "../../text/wrap-line.js";
import { formatNeed } from "../needs.js";
import { type Board, isShown } from "./board.js";
import type { Cursor } from "./screen.js";

interface Size {
  readonly columns: number;
  readonly rows: number;
}

type BoardStyle = Pick<Output, "alarm" | "bold" | "dim" | "dot" | "signs">;

const needsShownMax = 4;
const rosterLinesMax = 3;
const titleColumnsMin = 12;
const messageLinesMax = 24;

/**
 * Lays out all lines of the screen: title, needs, roster, the last messages, and a line with either the keys
 * or the text being typed.
 */
export function layOut(
  board: Board,
  size: Size,
  style: BoardStyle,
): { lines: string[]; cursor: Cursor | null } {
  const rule = style.dim(style.signs.rule.repeat(size.columns));
  const head = [
    formatTitle(board, size, style),
    ...formatNeeds(board, size, style),
    ...formatRoster(board, size, style),
    rule,
  ];
  const notice =
    board.draft === null ? "" : cutToWidth(toOneLine(board.notice), size.columns, style.signs.more);
  const foot = [notice || rule, formatFooter(board, size, style)];
  // On a terminal with few lines, the messages are more important than the part above them.
  const shownHead = head.slice(0, Math.max(1, Math.floor(size.rows / 2)));
  const room = Math.max(0, size.rows - shownHead.length - foot.length);
  const feed = formatFeed(board, room, size, style);
  const blank = Array.from({ length: room - feed.length }, () => "");
  const lines = [...shownHead, ...feed, ...blank, ...foot].slice(0, size.rows);
  return { lines, cursor: locateCursor(board, lines.length, size) };
}

function formatTitle({ facts: { session } }: Board, { columns }: Size, style: BoardStyle): string {
  const { message_budget: budget } = session.settings;
  const facts = [
    session.session_closed ? "closed" : session.held ? "held" : "open",
    formatCount(session.last_sequence, "message"),
    session.document_version === 0 ? "no document yet" : `document v${session.document_version}`,
    budget > 0 ? `agents posted ${session.agent_messages} of ${budget}` : "",
    session.last_said_at === null ? "" : `last message ${toAge(session.last_said_at)} ago`,
  ].filter((each) => each !== "");
  const joinFacts = () => facts.join(` ${style.dot} `);
  // Leave out some facts if the title would otherwise get less than half of the line.
  const room = columns - 2 - Math.min(displayWidth(toOneLine(session.title)), Math.ceil(columns / 2));
  while (facts.length > 2 && displayWidth(joinFacts()) > room) facts.splice(1, 1);
  const right = cutToWidth(joinFacts(), columns, style.signs.more);
  const left = columns - displayWidth(right) - 2;
  const isNarrow = left < titleColumnsMin;
  const title = cutToWidth(toOneLine(session.title), isNarrow ? columns : left, style.signs.more);
  if (isNarrow) return style.bold(isolateRightToLeft(title));
  return `${style.bold(isolateRightToLeft(title))}${" ".repeat(left - displayWidth(title))}  ${style.dim(right)}`;
}

function formatNeeds({ facts: { needs } }: Board, { columns }: Size, style: BoardStyle): string[] {
  const shown = needs
    .slice(0, needsShownMax)
    .map((need) =>
      style.alarm(cutToWidth(`${style.signs.blocked} ${formatNeed(need)}`, columns, style.signs.more)),
    );
  if (shown.length === 0) return [];
  const more = needs.length - shown.length;
  const rest = more > 0 ? [style.dim(`  and ${more} more: merkle ls --needs`)] : [];
  return [style.alarm(style.bold(`NEEDS YOU ${needs.length}`)), ...shown, ...rest];
}

/**
 * Formats the roster with several peers per line. If some peers do not fit, the last line gives their number.
 */
function formatRoster({ facts: { peers } }: Board, { columns }: Size, style: BoardStyle): string[] {
  const lines: string[] = [];
  let line = "";
  let width = 0;
  const chips = sortByState(peers.filter((peer) => peer.left_at === null)).map((peer) => ({
    text: cutToWidth(
      `${toStateSign(peer, style)} ${isolateRightToLeft(formatPeerAddress(peer.team, peer.name))} ${formatState(peer)}`,
      columns,
      style.signs.more,
    ),
    paint: paintState(peer, style),
  }));
  for (const [index, { text, paint }] of chips.entries()) {
    const chipWidth = displayWidth(text);
    if (width > 0 && width + 3 + chipWidth > columns) {
      lines.push(line);
      line = "";
      width = 0;
      if (lines.length === rosterLinesMax) return [...lines, style.dim(`+${chips.length - index} more`)];
    }
    line += `${width > 0 ? "   " : ""}${paint(text)}`;
    width += (width > 0 ? 3 : 0) + chipWidth;
  }
  return line === "" ? lines : [...lines, line];
}

function formatFeed(
  { messages, filter }: Board,
  room: number,
  { columns }: Size,
  style: BoardStyle,
): string[] {
  const lines: string[] = [];
  for (const { message, text } of messages.toReversed()) {
    if (lines.length >= room) break;
    if (!isShown(message, filter)) continue;
    const wrapped = text.split("\n").flatMap((line) => wrapLine(line, columns, indent));
    const hidden = wrapped.length - messageLinesMax;
    const shown =
      hidden > 0
        ? [...wrapped.slice(0, messageLinesMax), style.dim(`${indent}${formatCount(hidden, "more line")}`)]
        : wrapped;
    lines.unshift(...shown);
  }
  const [oldest] = messages;
  if (lines.length === 0 && oldest) {
    const none = `  no ${filter} since #${oldest.message.sequence}`;
    lines.push(style.dim(cutToWidth(none, columns, style.signs.more)));
  }
  return room === 0 ? [] : lines.slice(-room);
}

const prompt = "say: ";

function formatFooter({ draft, notice, filter }: Board, { columns }: Size, style: BoardStyle): string {
  if (draft !== null) return `${style.bold(prompt)}${cutDraft(draft, columns)}`;
  const keys = `${filter}  ${style.dot}  q quit  f filter  c compose  o browser`;
  const room = columns - displayWidth(keys) - 3;
  const shownNotice = cutToWidth(toOneLine(notice), Math.max(0, room), style.signs.more);
  return room < 4 || shownNotice === ""
    ? style.dim(cutToWidth(keys, columns, style.signs.more))
    : `${style.dim(keys)}   ${shownNotice}`;
}

/**
 * Returns the part of a draft that fits on the line. For a long draft this is the end, where the user types.
 */
function cutDraft(draft: string, columns: number): string {
  const room = columns - prompt.length - 1;
  let shown = [...draft];
  while (displayWidth(shown.join("")) > room) shown = shown.slice(1);
  return shown.join("");
}

function locateCursor({ draft }: Board, lines: number, { columns }: Size): Cursor | null {
  if (draft === null) return null;
  return { row: lines - 1, column: prompt.length + displayWidth(cutDraft(draft, columns)) };
}
