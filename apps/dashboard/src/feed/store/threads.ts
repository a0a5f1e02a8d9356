import type { Message } from "@merkle/wire";
import { textOf } from "./message-text";

/** A thread: a message and all replies, direct and indirect. */
export interface Thread {
  /** The sequence of the message that it began with. */
  readonly root: number;
  readonly title: string;
  /** How many replies are in sight. */
  readonly replies: number;
  readonly last: number;
}

/** A message with fewer replies is not a thread: message and answer are close together anyway. */
const repliesMin = 2;

/** The talks among messages, the one that went on last first. */
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
    threads.set(root, { root, title: titleOf(bySequence.get(root), root), replies, last: sequence });
  }
  return [...threads.values()]
    .filter(({ replies }) => replies >= repliesMin)
    .sort((one, other) => other.last - one.last);
}

const titleCharsMax = 80;

/** The first line of what it began with, without the marks of markdown. */
export function titleOf(message: Message | undefined, sequence: number): string {
  const [line = ""] = (message ? textOf(message) : "").trim().split("\n");
  const plain = line.replace(/[*_`#>~]/g, "").trim();
  if (plain === "") return `#${sequence}`;
  return plain.length > titleCharsMax ? `${plain.slice(0, titleCharsMax).trimEnd()}…` : plain;
}
