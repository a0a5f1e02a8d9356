import type { Message } from "@merkle/wire";
import { nameInLine, neutralise, peerAddress } from "@merkle/wire/plain";

export interface NudgeLine {
  /** Tells this nudge from every other: clients drop what they have had before. */
  readonly number: number;
  readonly session: string;
  readonly unread: readonly Message[];
  /** Who asked for it, when nobody's message did. */
  readonly by?: string | undefined;
}

const sendersMax = 5;

/** One line that says how much there is to read and from whom, and nothing of what they wrote (WAKE-8). */
export function writeNudge({ number, session, unread, by }: NudgeLine): string {
  const asked = by === undefined ? "" : `${nameInLine(by)} asks you to look at your messages. `;
  const line =
    `Merkle nudge ${number}: ${asked}${unread.length} unread in ${session}${sendersOf(unread)}. ` +
    "Unless they stand below, read them with check_messages; answer with post_message or send_message, not with SendMessage.";
  return neutralise(line).replace(/\s+/g, " ");
}

function sendersOf(unread: readonly Message[]): string {
  const names = unread.flatMap(({ from }) => (from ? [peerAddress(from.team, from.peer)] : []));
  const senders = [...new Set(names)];
  const more = senders.length > sendersMax ? ` and ${senders.length - sendersMax} more` : "";
  return senders.length === 0 ? "" : `, from ${senders.slice(0, sendersMax).join(", ")}${more}`;
}
