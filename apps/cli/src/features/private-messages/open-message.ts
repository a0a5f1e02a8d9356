import { countSealedBytes, isRedacted, type Message } from "@merkle/wire";
import { parseSealed, unseal } from "@merkle/wire/keys";
import { formatInlineName } from "@merkle/wire/text";
import * as z from "zod";
import { withContent } from "../../feed/private-stub.js";
import { type CheckedCard, checkCard } from "./check-card.js";
import type { OpenedMessage, PeerKeys } from "./peer-keys.js";
import { isTrusted } from "./pins.js";

const MessageEndpoint = z.strictObject({ peer_id: z.string(), address: z.string(), session_key: z.string() });
/**
 * Rejects headers of version 1, which do not cover author, priority and reply, so a broker could change
 * these.
 */
const Header = z.strictObject({
  version: z.literal(2),
  session_id: z.string(),
  message_id: z.string(),
  from: MessageEndpoint,
  to: MessageEndpoint,
  counter: z.int().min(1),
  time: z.iso.datetime({ precision: 3 }),
  human: z.boolean(),
  priority: z.string(),
  reply_to: z.int().nullable(),
});
type Header = z.output<typeof Header>;

/** The peer that reads the message. */
export interface Reader {
  readonly home: string;
  readonly keys: PeerKeys;
  readonly sessionId: string;
  readonly address: string;
  readonly epoch: string;
}

/**
 * Maximum difference between the times of encryption and posting. Clocks differ, and a sender may retry for a
 * while. A message that a broker holds back for longer cannot pass as new.
 */
const apartMsMax = 15 * 60_000;

/**
 * Decrypts a private message for its recipient and puts the text in `content.text`, as in any message. If
 * that fails, or the message was encrypted for another context, `content.problem` gives the reason
 * (SEALED-5). Any other message marked as private is shown without its text, because the broker could have
 * written the text.
 */
export function openMessage(message: Message, reader: Reader): Message {
  const { content, from } = message;
  if (content["private"] !== true || isRedacted(message)) return message;
  const { sealed } = content;
  if (typeof sealed !== "string" || from === null) return withContent(message, { bytes: content["bytes"] });
  const bytes = countSealedBytes(sealed);
  const address = from.peer === undefined ? from.team : `${from.team}/${from.peer}`;
  // A message that the reader itself sent is encrypted for its recipient.
  if (address === reader.address) return withContent(message, { bytes });
  const opened = tryToOpen(message, sealed, { ...reader, sender: address });
  return withContent(message, "text" in opened ? opened : { bytes, ...opened });
}

type Outcome = { readonly text: string } | { readonly problem: string };

function tryToOpen(message: Message, sealed: string, reader: Reader & { readonly sender: string }): Outcome {
  const { keys, home, sessionId, sender } = reader;
  const parsed = parseSealed(sealed);
  const card = parsed && checkCard(parsed.card);
  if (!parsed || !card) return { problem: "it is damaged, or its keys do not match" };
  const plain = unseal(parsed, { own: keys.box, theirs: card.boxKey });
  if (!plain) return { problem: "it was changed in transit, or encrypted for a key that is not this peer's" };
  const header = Header.safeParse(plain.header).data;
  if (!header) return { problem: describeUnknownHeader(plain.header) };
  const move = findMove(message, header, card, reader);
  if (move !== null) return { problem: `${move}; the broker, or someone who controls it, moved it` };
  if (!isTrusted(home, { sessionId, address: sender }, card)) {
    return {
      problem: "its sender's key has changed; a person can check it: merkle verify-peer",
    };
  }
  const { counter, message_id } = header;
  const known = keys.listOpened(card.sessionKey);
  const opened: OpenedMessage = { counter, message_id, sequence: message.sequence, epoch: reader.epoch };
  if (known.some((each) => isSame(each, opened))) return { text: plain.text };
  if (known.some((each) => contradicts(each, opened))) {
    return {
      problem: "it is a repeat, or out of order; the broker, or someone who controls it, sent it again",
    };
  }
  keys.recordOpened(card.sessionKey, opened);
  return { text: plain.text };
}

function describeUnknownHeader(header: unknown): string {
  return typeof header === "object" && header !== null && !("version" in header)
    ? "it was encrypted by an earlier version of Merkle, which did not protect sender kind, priority and reply; ask its sender to upgrade and send it again"
    : "its header is not valid";
}

/**
 * Describes how a message's recipient, session, author or time differs from what its sender encrypted. Null
 * if nothing differs.
 */
function findMove(
  message: Message,
  header: Header,
  card: CheckedCard,
  { sessionId, keys, sender }: Reader & { readonly sender: string },
): string | null {
  if (header.session_id !== sessionId || message.session_id !== sessionId)
    return "it was encrypted for another session";
  if (header.from.session_key !== card.sessionKey || header.from.address !== sender) {
    return `it was not encrypted by its sender ${formatInlineName(sender)}`;
  }
  if (header.to.session_key !== keys.sessionKey || header.to.peer_id !== keys.peerId) {
    return "it was encrypted for another recipient";
  }
  if (header.message_id !== message.id) return "it was encrypted as another message";
  const apartMs = Math.abs(Date.parse(message.posted_at) - Date.parse(header.time));
  if (apartMs > apartMsMax) return `it was encrypted at ${header.time}, which is a different time`;
  return findChange(message, header);
}

/**
 * Describes how a message's author kind, recipients, priority or reply differs from what its sender
 * encrypted. Null if nothing differs.
 */
function findChange(message: Message, header: Header): string | null {
  if (message.from?.human !== header.human) {
    return header.human ? "it was encrypted by a person" : "it was encrypted by an agent, not by a person";
  }
  if (message.to.length !== 1 || message.to[0] !== header.to.address) {
    return `it was encrypted only for ${formatInlineName(header.to.address)}`;
  }
  if (message.priority !== header.priority) return "it was encrypted with another priority";
  return (message.reply_to ?? null) === header.reply_to
    ? null
    : "it was encrypted as a reply to another message";
}

function isSame(one: OpenedMessage, other: OpenedMessage): boolean {
  return (
    one.message_id === other.message_id && one.sequence === other.sequence && one.counter === other.counter
  );
}

/**
 * Returns whether two messages contradict each other. A message has one position in the feed, and a sender's
 * counters grow in the order of the feed.
 */
function contradicts(one: OpenedMessage, other: OpenedMessage): boolean {
  if (one.message_id === other.message_id || one.counter === other.counter) return true;
  return one.epoch === other.epoch && one.counter < other.counter !== one.sequence < other.sequence;
}
