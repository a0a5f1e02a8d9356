import type { Message } from "@merkle/wire";
import { readMessageText } from "./message-text";

/** A thread: a message and all replies, direct and indirect. */
export interface Thread {
  /** Sequence of the thread's first message. */
  readonly root: number;
  readonly title: string;
  /** Number of replies among the loaded messages. */
  readonly replies: number;
  readonly last: number;
}

/** A message with fewer replies is not a thread, because the reply is usually right below it. */
const repliesMin = 2;

/** Finds the threads among messages. The most recently active thread comes first. */
export function findThreads(messages: readonly Message[]): readonly Thread[] {
  const roots = new Map<number, number>();
  const bySequence = new Map<number, Message>();
  const threads = new Map<number, Thread>();
  for (const message of messages) {
    const { sequence, reply_to, type } = message;
    if (type !== "chat") continue;
    bySequence.set(sequence, message);
    if (reply_to === undefined) continue;
    const root = roots.get(reply_to) ?? reply_to;
    roots.set(sequence, root);
    const replies = (threads.get(root)?.replies ?? 0) + 1;
    threads.set(root, { root, title: describeTitle(bySequence.get(root), root), replies, last: sequence });
  }
  return [...threads.values()]
    .filter(({ replies }) => replies >= repliesMin)
    .sort((one, other) => other.last - one.last);
}

const titleCharsMax = 80;

/** Returns the first line of the thread's first message, without markdown characters. */
export function describeTitle(message: Message | undefined, sequence: number): string {
  const [line = ""] = (message ? readMessageText(message) : "").trim().split("\n");
  const plainLine = line.replace(/[*_`#>~]/g, "").trim();
  if (plainLine === "") return `#${sequence}`;
  return plainLine.length > titleCharsMax ? `${plainLine.slice(0, titleCharsMax).trimEnd()}…` : plainLine;
}
