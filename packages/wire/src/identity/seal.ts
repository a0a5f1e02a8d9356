import nacl from "tweetnacl";
import { toCanonicalJson } from "../core/canonical-json.js";
import { fromBase64url, toBase64url } from "./base64url.js";
import type { KeyCard } from "./key-card.js";
import type { BoxKey } from "./make-key-card.js";
import { isSealed } from "./sealed-form.js";

/** The sender or recipient of a private message: a peer and its session key. */
export interface SealedParty {
  readonly peer_id: string;
  /** The peer as `team/peer`, or only the team's name for its unnamed peer. */
  readonly address: string;
  readonly session_key: string;
}

/**
 * The header of a private message. It is encrypted together with the text, so no one can change it in transit
 * (SEALED-4).
 */
export interface SealedHeader {
  /**
   * Version of the header. Headers of version 1 lack this field. They are refused, because they do not cover
   * `human`, `priority` and `reply_to`.
   */
  readonly version: 2;
  readonly session_id: string;
  readonly message_id: string;
  readonly from: SealedParty;
  readonly to: SealedParty;
  /** Counts the private messages from this sender to this recipient, starting at 1. */
  readonly counter: number;
  /** When the message was sealed. */
  readonly time: string;
  /** True if a person sent the message. */
  readonly human: boolean;
  readonly priority: string;
  readonly reply_to: number | null;
}

export interface SealedText {
  readonly header: SealedHeader;
  readonly text: string;
}

/**
 * Seals text for one recipient. The result is a NaCl box that contains the header, a line break and the text.
 */
export function seal(
  { header, text }: SealedText,
  keys: { readonly card: KeyCard; readonly own: BoxKey; readonly theirs: Uint8Array },
): string {
  const nonce = crypto.getRandomValues(new Uint8Array(nacl.box.nonceLength));
  const plain = utf8.encode(`${toCanonicalJson(header)}\n${text}`);
  const box = nacl.box(plain, nonce, keys.theirs, keys.own.secretKey);
  const card = toBase64url(utf8.encode(toCanonicalJson(keys.card)));
  return ["mks1", card, toBase64url(nonce), toBase64url(box)].join(".");
}

/** The parts of sealed text. The key card has not been verified. */
export interface SealedBox {
  readonly card: unknown;
  readonly nonce: Uint8Array;
  readonly box: Uint8Array;
}

/** Splits sealed text into its parts. Returns null for any other text. */
export function parseSealed(text: string): SealedBox | null {
  if (!isSealed(text)) return null;
  const [card, nonce, box] = text.split(".").slice(1).map(decode);
  if (!card || !nonce || !box) return null;
  try {
    return { card: JSON.parse(strictUtf8.decode(card)), nonce, box };
  } catch {
    return null; // The card is not UTF-8 or not JSON.
  }
}

/**
 * Opens a box with the recipient's private key and the sender's public key. Returns null if the box was made
 * with other keys or was changed.
 */
export function unseal(
  { nonce, box }: SealedBox,
  keys: { readonly own: BoxKey; readonly theirs: Uint8Array },
): { readonly header: unknown; readonly text: string } | null {
  const plain = nacl.box.open(box, nonce, keys.theirs, keys.own.secretKey);
  if (!plain) return null;
  const end = plain.indexOf(10);
  try {
    const header: unknown = JSON.parse(strictUtf8.decode(plain.slice(0, end)));
    return { header, text: strictUtf8.decode(plain.slice(end + 1)) };
  } catch {
    return null; // The sender sealed content of another form.
  }
}

const utf8 = new TextEncoder();
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(part: string): Uint8Array | null {
  return fromBase64url(part, Math.floor((part.length * 3) / 4));
}
