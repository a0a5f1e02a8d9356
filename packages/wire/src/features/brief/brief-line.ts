import { formatMessageTime } from "../../feed/compact.js";
import { formatInlineName, quoteText } from "../../text/neutralise.js";

/**
 * The kinds of lines in a brief, most important first. A brief lists them in this order. If it is too long,
 * it is cut at the end.
 */
export const briefKinds = [
  "ask",
  "review",
  "answer",
  "own_ask",
  "own_review",
  "own_proposal",
  "own_approval",
  "concluded",
  "held",
  "failed",
  "decision",
  "topic",
  "task",
  "document",
  "state",
  "settings",
  "people",
  "talk",
] as const;

interface BriefFact {
  readonly kind: (typeof briefKinds)[number];
  readonly sequence: number | null;
  readonly version: number | null;
  readonly task?: number | undefined;
  readonly job?: number | undefined;
  readonly proposal?: number | undefined;
  readonly approval?: number | undefined;
  readonly at: string;
  readonly by: string | null;
  readonly unanswered?: boolean | undefined;
  readonly text: string;
}

/**
 * Formats a line such as `#12 decision by Atlas 14:02:10: Keep v1 tokens`, with the text unchanged. Lines
 * of earlier days (UTC) also have the date.
 */
export function formatBriefLine(fact: BriefFact, now = new Date()): string {
  const { kind, sequence, version, task, job, proposal, approval, at, by, unanswered, text } = fact;
  const number = task ?? proposal ?? approval;
  const head = [
    sequence !== null && `#${sequence}`,
    unanswered === true && "unanswered",
    kind.replace("_", " "),
    version !== null && `v${version}`,
    number !== undefined && String(number),
    job !== undefined && `job ${job}`,
    by !== null && `by ${/\s(?:by|v\d)/.test(by) ? quoteText(by) : formatInlineName(by)}`,
    !at.startsWith(now.toISOString().slice(0, 10)) && at.slice(0, 10),
    formatMessageTime(at),
  ];
  return `${head.filter((part) => part !== false).join(" ")}${text === "" ? "" : `: ${text}`}`;
}
