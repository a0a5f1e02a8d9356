import { deriveMessageId, type KeyCard, MerkleError, type Peer } from "@merkle/wire";
import { seal } from "@merkle/wire/keys";
import { limits } from "@merkle/wire/limits";
import type { JsonFields } from "../../core/is-object.js";
import { sha256 } from "../../core/sha256.js";
import { toShellWord } from "../../text/shell.js";
import { type CheckedCard, checkCard } from "./check-card.js";
import { findRecipient, formatAddress } from "./find-recipient.js";
import type { PeerKeys } from "./peer-keys.js";
import { isTrusted } from "./pins.js";

/** The sending peer. */
interface Writer {
  readonly home: string;
  readonly keys: PeerKeys;
  readonly card: KeyCard;
  readonly sessionId: string;
  readonly slug: string;
  readonly address: string;
  readonly peerId: string;
  readonly human: boolean;
}

/** The text of a private message to one peer. The message's id is derived from the idempotency key. */
interface PrivateText {
  readonly to: string;
  readonly text: string;
  readonly priority: string;
  readonly replyTo: number | null;
  readonly idempotencyKey: string;
}

export interface SealedMessage {
  readonly sealed: string;
  /** The recipient's key. Unlike a name, a key cannot pass to another peer before the message is sent. */
  readonly to: string;
}

/**
 * Encrypts text for its recipient (SEALED-2).
 *
 * @throws not_found or bad_request if the recipient is ambiguous or has no keys; key_changed if the
 * recipient's keys are not trusted
 */
export function sealMessage(
  { to, text, priority, replyTo, idempotencyKey }: PrivateText,
  peers: readonly Peer[],
  writer: Writer,
): SealedMessage {
  const { keys, card, sessionId, peerId } = writer;
  const peer = findRecipient(peers, to, peerId);
  const recipientCard = getRecipientKeys(peer, writer);
  const message = { sessionId, peerId, operation: "send_message", idempotencyKey } as const;
  const header = {
    version: 2,
    session_id: sessionId,
    message_id: deriveMessageId(message, sha256),
    from: { peer_id: peerId, address: writer.address, session_key: card.session_key },
    to: { peer_id: peer.peer_id, address: formatAddress(peer), session_key: recipientCard.sessionKey },
    counter: keys.reserveCounter(recipientCard.sessionKey),
    time: new Date().toISOString(),
    human: writer.human,
    priority,
    reply_to: replyTo,
  } as const;
  const sealed = seal({ header, text }, { card, own: keys.box, theirs: recipientCard.boxKey });
  if (sealed.length > limits.messageTextBytesMax) throw tooLarge(sealed.length);
  return { sealed, to: Buffer.from(recipientCard.sessionKey, "base64url").toString("base64") };
}

/**
 * Reads the text and recipient of a private message from the input of `send_message`.
 *
 * @throws bad_request unless the input has exactly one recipient and contains text
 */
export function parsePrivateMessage(input: JsonFields, fallbackKey: string): PrivateText {
  const { to, message, priority, reply_to: replyTo, idempotency_key: key } = input;
  const [recipient, another]: unknown[] = Array.isArray(to) ? to : [to];
  if (typeof recipient !== "string" || another !== undefined || /^[@*]/.test(recipient.trim())) {
    throw new MerkleError(
      "bad_request",
      "A private message needs exactly one recipient in `to`. Nothing was sent.",
    );
  }
  if (typeof message !== "string" || message.trim() === "") {
    throw new MerkleError("bad_request", "message must be a text that is not blank. Nothing was sent.");
  }
  return {
    to: recipient,
    text: message,
    // The broker also gets this field, and refuses any other type.
    priority: typeof priority === "string" ? priority : "next",
    replyTo: typeof replyTo === "number" ? replyTo : null,
    idempotencyKey: typeof key === "string" ? key : fallbackKey,
  };
}

function getRecipientKeys(peer: Peer, { home, sessionId, slug }: Writer): CheckedCard {
  const address = formatAddress(peer);
  if (peer.key_card === null) {
    throw new MerkleError(
      "bad_request",
      `${address} has no keys, so you cannot send it private messages: it uses REST, MCP over HTTP or the dashboard. Nothing was sent. If you send it without private, everyone in the session can read it.`,
      { to: address },
    );
  }
  const card = checkCard(peer.key_card);
  if (card && isTrusted(home, { sessionId, address }, card)) return card;
  throw new MerkleError(
    "key_changed",
    `The key of ${address} has changed, so nothing was sent. The peer may be on a new machine, or someone may be intercepting messages. Tell your human, who can compare numbers with ${address}'s and accept the new key: merkle verify-peer ${toShellWord(address)} --session ${slug}`,
    { to: address },
  );
}

function tooLarge(bytes: number): MerkleError {
  const max = limits.messageTextBytesMax;
  return new MerkleError(
    "payload_too_large",
    `The message is too long: encrypted it has ${bytes} bytes, and the limit is ${max}, about ${Math.floor((max * 3) / 4 / 1024) - 1} KiB of text. Nothing was sent.`,
    { bytes, bytes_max: max },
  );
}
