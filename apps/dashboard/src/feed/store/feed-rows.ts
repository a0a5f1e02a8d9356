import type { Message } from "@merkle/wire";
import { isFoldable } from "./describe-event";
import { readKind } from "./message-text";

/** A row of the feed: one message, or a folded run of events. */
export interface FeedRow {
  /** The message id, so that the row keeps its identity when messages around it are loaded. */
  readonly key: string;
  readonly first: Message;
  /** Several messages for a folded run, otherwise one. */
  readonly messages: readonly Message[];
  /** Replies that are folded into the row of an ask. */
  readonly replies: readonly Message[];
  /** True for the first row of its day, unless it is the first row of all. */
  readonly isFirstOfDay: boolean;
  readonly isFirstUnread: boolean;
}

export interface RowOptions {
  /** Ids of events whose runs are expanded. */
  readonly unfolded: ReadonlySet<string>;
  /** Replies up to this sequence are folded into their ask. Later replies have their own rows. Null: nothing is folded. */
  readonly foldUpTo: number | null;
  /** Ids of replies that were shown before their ask was loaded. They keep their own rows afterwards. */
  readonly standaloneIds: Set<string>;
  /** The sequence that the reader had read up to when the feed was opened. Null if unknown. */
  readonly readUpTo: number | null;
  readonly myTeamId: string | null;
  readonly toDay: (at: string) => string;
}

/** Groups messages into the rows of the feed. */
export function toRows(all: readonly Message[], options: RowOptions): FeedRow[] {
  const rows: FeedRow[] = [];
  const repliesByAsk = foldReplies(all, options);
  const folded = new Set([...repliesByAsk.values()].flat());
  const messages = folded.size === 0 ? all : all.filter((message) => !folded.has(message));
  let day: string | undefined;
  let hasSeenUnread = options.readUpTo === null;
  for (let index = 0; index < messages.length; index += 1) {
    const first = messages[index];
    if (!first) break;
    const thisDay = options.toDay(first.posted_at);
    const isFirstOfDay = day !== undefined && day !== thisDay;
    day = thisDay;
    const isFirstUnread = !hasSeenUnread && isUnread(first, options);
    hasSeenUnread ||= isFirstUnread;
    const run = takeRun(messages, index, options, day);
    const replies = repliesByAsk.get(first.sequence) ?? [];
    rows.push({ key: first.id, first, messages: run, replies, isFirstOfDay, isFirstUnread });
    index += run.length - 1;
  }
  return rows;
}

/** True for messages that the person has not read. Only messages from others count, and events do not (READ-2). */
export function isUnread(
  { type, sequence, posted_by_team_id }: Message,
  { readUpTo, myTeamId }: Pick<RowOptions, "readUpTo" | "myTeamId">,
): boolean {
  return readUpTo !== null && sequence > readUpTo && type === "chat" && posted_by_team_id !== myTeamId;
}

/** Returns the messages that fold into one row. Two events are enough for a run. */
function takeRun(
  messages: readonly Message[],
  start: number,
  { unfolded, toDay }: RowOptions,
  day: string,
): readonly Message[] {
  let end = start;
  for (let next = messages[end]; next && isFoldable(next) && !unfolded.has(next.id); next = messages[end]) {
    if (toDay(next.posted_at) !== day) break;
    end += 1;
  }
  return messages.slice(start, Math.max(end, start + 1));
}

/**
 * Returns the plain replies to each ask, direct and indirect, by the sequence of the ask. Asks and decisions always keep their
 * own rows, so that they are not overlooked.
 */
function foldReplies(
  messages: readonly Message[],
  { foldUpTo, standaloneIds }: RowOptions,
): Map<number, Message[]> {
  const askBySequence = new Map<number, number>();
  const replies = new Map<number, Message[]>();
  if (foldUpTo === null) return replies;
  for (const message of messages) {
    const { id, type, sequence, reply_to } = message;
    const kind = readKind(message);
    if (kind === "ask") askBySequence.set(sequence, sequence);
    if (reply_to === undefined || type !== "chat" || kind !== "plain") continue;
    const ask = askBySequence.get(reply_to);
    if (ask === undefined) standaloneIds.add(id);
    else askBySequence.set(sequence, ask);
    if (ask === undefined || sequence > foldUpTo || standaloneIds.has(id)) continue;
    const threadReplies = replies.get(ask);
    if (threadReplies) threadReplies.push(message);
    else replies.set(ask, [message]);
  }
  return replies;
}

/** Returns the loaded answers, keyed by the sequence of the ask that they answer. */
export function findAnswers(messages: readonly Message[]): ReadonlyMap<number, Message> {
  const answers = new Map<number, Message>();
  for (const message of messages) {
    if (message.reply_to === undefined || typeof message.content["answer"] !== "string") continue;
    answers.set(message.reply_to, message);
  }
  return answers;
}

/** Returns the index of the row that contains a message, or else of the nearest row before it. Returns -1 for an empty feed. */
export function findRow(rows: readonly FeedRow[], sequence: number): number {
  const folded = rows.findIndex(({ replies }) => replies.some((reply) => reply.sequence === sequence));
  if (folded >= 0) return folded;
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.first.sequence ?? 0) <= sequence) low = middle + 1;
    else high = middle;
  }
  return rows.length === 0 ? -1 : Math.max(0, low - 1);
}
