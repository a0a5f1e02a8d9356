import { fromHex, toHex } from "../core/hex.js";
import { fromBase64url } from "./base64url.js";
import type { VerifySignature } from "./head.js";
import type { OwnLaunch, OwnSignature } from "./own-signature.js";
import { encodeForSigning } from "./signed-bytes.js";
import type { SigningKey } from "./signing-key.js";

/** The key of a person's device. A browser signs asynchronously, with a key that no script can read. */
export interface DeviceKey {
  readonly device: string;
  /** Returns the 64 bytes of the signature in base64url. */
  sign(bytes: Uint8Array): string | Promise<string>;
}

export function toDeviceKey({ publicKey, sign }: SigningKey): DeviceKey {
  return { device: toHex(fromBase64url(publicKey, 32) ?? new Uint8Array()), sign };
}

/** What a person writes to an agent: a message, or the answer to a question of the agent's client. */
export interface OwnWords {
  /** A signature for one purpose is invalid for the other. */
  readonly purpose: "message" | "answer";
  readonly session_id: string;
  /** The number of the message that this one replies to. */
  readonly reply_to: number | null;
  /** The text, and everything else that the agent gets as its person's words. */
  readonly content: Readonly<Record<string, unknown>>;
}

/**
 * Returns what a person signs to answer the questions of an agent's client (APPROVE-13). The hash covers the
 * questions and is valid for one request.
 */
export function toAnswerWords(answer: {
  readonly session_id: string;
  readonly hash: string;
  readonly answers: readonly string[];
}): OwnWords {
  const { session_id, hash, answers } = answer;
  return { purpose: "answer", session_id, reply_to: null, content: { hash, answers } };
}

/** The agent for which words are, and its current launch. */
export interface OwnRecipient extends Pick<OwnLaunch, "launch"> {
  readonly peer_id: string;
}

/** Signs words for one launch of one agent (OWN-3). The nonce is new, so that no one can repeat the words. */
export async function signOwnWords(
  words: OwnWords,
  { peer_id, launch }: OwnRecipient,
  { key, now }: { readonly key: DeviceKey; readonly now: Date },
): Promise<OwnSignature> {
  const nonce = toHex(crypto.getRandomValues(new Uint8Array(16)));
  const signed = { device: key.device, peer_id, launch, nonce, at: now.toISOString() };
  return { ...signed, signature: await key.sign(encodeOwnWords(words, signed)) };
}

/** Returns the bytes that a device signs: the words, their recipient, and what makes them unique. */
export function encodeOwnWords(
  { purpose, ...words }: OwnWords,
  { device, peer_id, launch, nonce, at }: Omit<OwnSignature, "signature">,
): Uint8Array {
  return encodeForSigning(`own words ${purpose}`, { ...words, device, peer_id, launch, nonce, at });
}

/** How old signed words may be when the agent's machine receives them. */
export const ownWordsMsMax = 10 * 60_000;
/** How far the clock of a person's device may be ahead of the clock of the agent's machine. */
export const ownWordsAheadMsMax = 2 * 60_000;

/** The recipient as it knows itself, and the devices that its person named at the launch. */
export interface OwnWordsReader extends OwnLaunch {
  readonly session_id: string;
  readonly peer_id: string;
  readonly now: Date;
  readonly verify: (...signed: Parameters<VerifySignature>) => boolean;
}

/** Why words do not count as the words of the agent's person. */
export type OwnWordsProblem = "device" | "session" | "recipient" | "launch" | "time" | "signature";

/**
 * Returns why signed words do not count for an agent, or null if they do (OWN-5). The caller must also refuse a nonce
 * that it has seen before.
 */
export function findOwnWordsProblem(
  words: OwnWords,
  signed: OwnSignature,
  reader: OwnWordsReader,
): OwnWordsProblem | null {
  const { session_id, peer_id, launch, now } = reader;
  if (!reader.devices.includes(signed.device)) return "device";
  if (words.session_id !== session_id) return "session";
  if (signed.peer_id !== peer_id) return "recipient";
  if (signed.launch !== launch) return "launch";
  const ageMs = now.getTime() - Date.parse(signed.at);
  // The comparison is false for a time that is not valid.
  if (!(ageMs <= ownWordsMsMax && ageMs >= -ownWordsAheadMsMax)) return "time";
  return isSignedBy(signed, encodeOwnWords(words, signed), reader.verify) ? null : "signature";
}

function isSignedBy(
  { device, signature }: OwnSignature,
  bytes: Uint8Array,
  verify: OwnWordsReader["verify"],
): boolean {
  const publicKey = fromHex(device, 32);
  const signatureBytes = fromBase64url(signature, 64);
  return publicKey !== null && signatureBytes !== null && verify(publicKey, bytes, signatureBytes);
}
