import nacl from "tweetnacl";
import { canonicalJson } from "../core/canonical-json.js";
import { fromBase64url, toBase64url } from "./base64url.js";
import type { KeyCard } from "./key-card.js";
import type { BoxKey } from "./make-key-card.js";
import { isSealed } from "./sealed-form.js";

/** One end of a private message: the place in the session, and the session key that speaks there. */
export interface SealedEnd {
  readonly peer_id: string;
  /** `team/peer`, or the team alone for its unnamed peer. */
  readonly address: string;
  readonly session_key: string;
}

/** The facts of a sealed text, inside the box, where nobody on the way can change it (SEALED-4). */
export interface SealedHeader {
  /** Headers of version 1 have none. They are refused: they do not cover `human`, `priority` and `reply_to`. */
  readonly version: 2;
  readonly session_id: string;
  readonly message_id: string;
  readonly from: SealedEnd;
  readonly to: SealedEnd;
  /** 1 for the first of this sender to this recipient, 1 more for each. */
  readonly counter: number;
  /** When it was sealed. */
  readonly time: string;
  /** Whether a person sends it. */
  readonly human: boolean;
  readonly priority: string;
  readonly reply_to: number | null;
}

export interface SealedText {
  readonly header: SealedHeader;
  readonly text: string;
}

/** Seals a text for one recipient: a NaCl box of its header, a line break, and the text. */
export function seal(
  { header, text }: SealedText,
  keys: { readonly card: KeyCard; readonly own: BoxKey; readonly theirs: Uint8Array },
): string {
  const nonce = crypto.getRandomValues(new Uint8Array(nacl.box.nonceLength));
  const plain = utf8.encode(`${canonicalJson(header)}\n${text}`);
  const box = nacl.box(plain, nonce, keys.theirs, keys.own.secretKey);
  const card = toBase64url(utf8.encode(canonicalJson(keys.card)));
  return ["mks1", card, toBase64url(nonce), toBase64url(box)].join(".");
}

/** A sealed text taken apart; its card is what came, and unchecked. */
export interface Sealed {
  readonly card: unknown;
  readonly nonce: Uint8Array;
  readonly box: Uint8Array;
}

/** Takes a sealed text apart, or returns null for anything else. */
export function parseSealed(text: string): Sealed | null {
  if (!isSealed(text)) return null;
  const [card, nonce, box] = text.split(".").slice(1).map(decode);
  if (!card || !nonce || !box) return null;
  try {
    return { card: JSON.parse(strictUtf8.decode(card)), nonce, box };
  } catch {
    return null; // Neither UTF-8 nor JSON.
  }
}

/** Opens a box with one's own key and the sender's; null when it was not made with these, or was changed. */
export function unseal(
  { nonce, box }: Sealed,
  keys: { readonly own: BoxKey; readonly theirs: Uint8Array },
): { readonly header: unknown; readonly text: string } | null {
  const plain = nacl.box.open(box, nonce, keys.theirs, keys.own.secretKey);
  if (!plain) return null;
  const end = plain.indexOf(10);
  try {
    const header: unknown = JSON.parse(strictUtf8.decode(plain.slice(0, end)));
    return { header, text: strictUtf8.decode(plain.slice(end + 1)) };
  } catch {
    return null; // A sender that seals something else.
  }
}

const utf8 = new TextEncoder();
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(part: string): Uint8Array | null {
  return fromBase64url(part, Math.floor((part.length * 3) / 4));
}
