import type { Message } from "@merkle/wire";
import { isFoldable } from "./describe-event";

/** A line of the feed as it is drawn: one message, or a run of events folded into one. */
export interface FeedRow {
  /** A message's row has its id, so that it stays the same row whatever is read around it. */
  readonly key: string;
  readonly first: Message;
  /** More than one: a folded run. */
  readonly messages: readonly Message[];
  /** The first of its day, and when there is a row before it. */
  readonly beginsDay: boolean;
  readonly beginsUnread: boolean;
}

export interface RowOptions {
  /** Ids of events whose run is shown in full. */
  readonly unfolded: ReadonlySet<string>;
  /** The sequence that was read up to when the feed was opened; null where nothing is known of that. */
  readonly readUpTo: number | null;
  readonly myTeamId: string | null;
  readonly dayOf: (at: string) => string;
}

/** Arranges messages as rows. */
export function toRows(messages: readonly Message[], options: RowOptions): FeedRow[] {
  const rows: FeedRow[] = [];
  let day: string | undefined;
  let seenUnread = options.readUpTo === null;
  for (let index = 0; index < messages.length; index += 1) {
    const first = messages[index];
    if (!first) break;
    const thisDay = options.dayOf(first.posted_at);
    const beginsDay = day !== undefined && day !== thisDay;
    day = thisDay;
    const beginsUnread = !seenUnread && isUnread(first, options);
    seenUnread ||= beginsUnread;
    const run = runFrom(messages, index, options, day);
    rows.push({ key: first.id, first, messages: run, beginsDay, beginsUnread });
    index += run.length - 1;
  }
  return rows;
}

/** Whether a person has yet to read it: messages by others count (READ-2); one's own words and events are not news. */
export function isUnread(
  { type, sequence, posted_by_team_id }: Message,
  { readUpTo, myTeamId }: Pick<RowOptions, "readUpTo" | "myTeamId">,
): boolean {
  return readUpTo !== null && sequence > readUpTo && type === "chat" && posted_by_team_id !== myTeamId;
}

/** Two events are a run already: one line says both. */
function runFrom(
  messages: readonly Message[],
  start: number,
  { unfolded, dayOf }: RowOptions,
  day: string,
): readonly Message[] {
  let end = start;
  for (let next = messages[end]; next && isFoldable(next) && !unfolded.has(next.id); next = messages[end]) {
    if (dayOf(next.posted_at) !== day) break;
    end += 1;
  }
  return messages.slice(start, Math.max(end, start + 1));
}

/** The answers of asks and their authors, as far as the messages tell. */
export function findAnswers(messages: readonly Message[]): ReadonlyMap<number, Message> {
  const answers = new Map<number, Message>();
  for (const message of messages) {
    if (message.reply_to === undefined || typeof message.content["answer"] !== "string") continue;
    answers.set(message.reply_to, message);
  }
  return answers;
}

/** The row that a message is in, or the nearest row before its place; -1 in an empty feed. */
export function findRow(rows: readonly FeedRow[], sequence: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.first.sequence ?? 0) <= sequence) low = middle + 1;
    else high = middle;
  }
  return rows.length === 0 ? -1 : Math.max(0, low - 1);
}
