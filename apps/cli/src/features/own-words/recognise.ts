import { type Message, withOwnAuthor } from "@merkle/wire";
import {
  findOwnWordsProblem,
  type OwnWords,
  ownWordsAheadMsMax,
  ownWordsMsMax,
  toAnswerWords,
} from "@merkle/wire/identity";
import { OwnSignature } from "@merkle/wire/schemas";
import { nodeCrypto } from "../../core/node-crypto.js";
import type { OwnAnswer, OwnReader } from "../../identity/own-words.js";
import { findOwnLaunch, type StoredOwnLaunch, saveOwnLaunch } from "./own-launch.js";

/**
 * The most signed messages that count within the time for which a signature is valid. The nonce of each must be stored
 * for that long.
 */
const receivedMax = 500;

/**
 * Marks a message as the words of the agent's own user if one of the launch's devices signed exactly this for exactly
 * this launch, a short time ago, and for the first time (OWN-5, OWN-6). Any other message is returned unchanged, so it
 * reaches the model as information.
 *
 * The message comes from the broker, which is not trusted. What it is compared with comes from files of this machine.
 */
export function recogniseOwnWords(
  message: Message,
  { home, storedPeerId, sessionId, now }: OwnReader & { readonly now: Date },
): Message {
  if (message.type !== "chat" || message.content["own"] === undefined) return message;
  const signed = OwnSignature.safeParse(message.content["own"]).data;
  const launch = signed && findOwnLaunch(home, storedPeerId);
  if (!launch) return message;
  // The broker itself adds `guest`, which the page cannot sign.
  const { own: _, guest: __, ...content } = message.content;
  const { session_id, reply_to = null, sequence } = message;
  const words = { purpose: "message", session_id, reply_to, content } as const;
  if (!isSignedFor(launch, words, { signed, sessionId, now })) return message;
  const received = { nonce: signed.nonce, sequence, at: signed.at };
  return isReceivedOnce({ home, storedPeerId, now }, launch, received)
    ? withOwnAuthor(message, launch.person)
    : message;
}

/**
 * Returns whether an answer is signed by one of the launch's devices, for this launch and request, a short time ago. The
 * hash is valid for one request, which takes one answer, so no nonce is stored.
 */
export function acceptsAnswer(
  answer: OwnAnswer,
  own: unknown,
  { home, storedPeerId, sessionId, now }: OwnReader & { readonly now: Date },
): boolean {
  const signed = OwnSignature.safeParse(own).data;
  const launch = findOwnLaunch(home, storedPeerId);
  if (!signed || !launch) return false;
  return isSignedFor(launch, toAnswerWords(answer), { signed, sessionId, now });
}

function isSignedFor(
  { peer_id, launch, devices }: StoredOwnLaunch,
  words: OwnWords,
  {
    signed,
    sessionId: session_id,
    now,
  }: { readonly signed: OwnSignature; readonly sessionId: string; readonly now: Date },
): boolean {
  const verify = nodeCrypto.verifySignature;
  return findOwnWordsProblem(words, signed, { session_id, peer_id, launch, devices, now, verify }) === null;
}

/**
 * Stores the nonce of a message before its words are shown. Returns whether it is new, or belongs to the same message:
 * a message can arrive again after the agent's server was restarted.
 */
function isReceivedOnce(
  { home, storedPeerId, now }: Omit<OwnReader, "sessionId"> & { readonly now: Date },
  launch: StoredOwnLaunch,
  message: StoredOwnLaunch["received"][number],
): boolean {
  const earlier = launch.received.find(({ nonce }) => nonce === message.nonce);
  if (earlier) return earlier.sequence === message.sequence;
  const oldest = now.getTime() - ownWordsMsMax - ownWordsAheadMsMax;
  const valid = launch.received.filter(({ at }) => Date.parse(at) >= oldest);
  if (valid.length >= receivedMax) return false;
  try {
    saveOwnLaunch(home, storedPeerId, { ...launch, received: [...valid, message] });
    return true;
  } catch {
    // The home cannot be written, so a repetition would not be noticed.
    return false;
  }
}
