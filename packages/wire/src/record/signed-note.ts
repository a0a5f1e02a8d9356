import { fromBase64, toBase64 } from "../core/base64.js";
import { toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { ShapeError } from "../core/shape.js";
import type { VerifySignature } from "../identity/head.js";

/**
 * A signed note (C2SP signed-note): a text, and lines with signatures over it. Notes are parsed strictly, so
 * that all verifiers accept the same notes (WITNESS-1).
 */
export interface SignedNote {
  /** The signed text. It ends with a line break. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  /** Name of the key that signed. */
  readonly name: string;
  /** Id of the key, in hexadecimal. */
  readonly keyId: string;
  /** Everything after the key's id. The format depends on the key's type. */
  readonly bytes: Uint8Array;
}

/**
 * The type of a key says what it signs: the text itself, or a cosignature, which is over the text and the time.
 */
export const noteKeyTypes = { log: 1, witness: 4 } as const;

export type NoteKeyType = (typeof noteKeyTypes)[keyof typeof noteKeyTypes];

/** An ed25519 key, with the name and type under which it signs notes. */
export interface NoteKey {
  readonly name: string;
  readonly type: NoteKeyType;
  readonly publicKey: Uint8Array;
}

/** The platform's functions for verifying notes. */
export interface NoteCrypto {
  readonly sha256: Sha256;
  readonly verifySignature: VerifySignature;
}

export const noteLimits = { signaturesMax: 100, charactersMax: 1_000_000 } as const;

/** @throws ShapeError if the text is not a signed note */
export function parseSignedNote(note: string): SignedNote {
  // The text may contain empty lines, so only the last one divides it from the signatures.
  const end = note.lastIndexOf("\n\n");
  if (note.length > noteLimits.charactersMax || end === -1 || !note.endsWith("\n") || !isPlainText(note)) {
    throw new ShapeError(
      "Expected a signed note: text without control characters, an empty line, and lines with signatures.",
    );
  }
  const lines = note.slice(end + 2, -1).split("\n");
  if (lines.length > noteLimits.signaturesMax) {
    throw new ShapeError(
      `The note has ${lines.length} signatures. At most ${noteLimits.signaturesMax} are allowed.`,
    );
  }
  return { text: note.slice(0, end + 1), signatures: lines.map(parseSignatureLine) };
}

function parseSignatureLine(line: string): NoteSignature {
  const [dash, name = "", data = "", ...rest] = line.split(" ");
  const bytes = fromBase64(data);
  if (dash !== "\u2014" || !isNoteName(name) || !bytes || bytes.length < 5 || rest.length > 0) {
    throw new ShapeError(`Expected a signature of the form "\u2014 <name> <base64>", got ${quote(line)}.`);
  }
  return { name, keyId: toHex(bytes.subarray(0, 4)), bytes: bytes.subarray(4) };
}

/** Formats a signature as a line of a note. `bytes` is everything after the key's id. */
export function formatSignatureLine(key: NoteKey, bytes: Uint8Array, sha256: Sha256): string {
  return `\u2014 ${key.name} ${toBase64(joinBytes(hashNoteKey(key, sha256), bytes))}\n`;
}

/** Returns true if a key can have this name. */
export function isNoteName(name: string): boolean {
  // Unlike `\s`, the Unicode property is the same in all languages.
  return /^[^+\p{White_Space}]+$/u.test(name) && isPlainText(name);
}

/** Returns true if the text can be encoded in UTF-8 and its only control characters are line breaks. */
function isPlainText(text: string): boolean {
  if (!text.isWellFormed()) return false;
  for (const char of text) if (char < " " && char !== "\n") return false;
  return true;
}

/**
 * Parses a verifier key, `<name>+<key id>+<base64>`.
 *
 * @throws ShapeError if the key has another form or type, or if its id does not match
 */
export function parseVerifierKey(text: string, type: NoteKeyType, sha256: Sha256): NoteKey {
  // The base64 may contain plus signs, so only the first two divide the text.
  const [name = "", keyId = "", ...rest] = text.split("+");
  const bytes = fromBase64(rest.join("+"));
  if (!isNoteName(name) || bytes?.length !== 33 || bytes[0] !== type) {
    throw new ShapeError(
      `Expected a verifier key of the form "<name>+<key id>+<base64>" of type ${type}, got ${quote(text)}.`,
    );
  }
  const key = { name, type, publicKey: bytes.subarray(1) };
  if (toNoteKeyId(key, sha256) !== keyId) {
    throw new ShapeError(`The verifier key of ${quote(name)} does not match its id.`);
  }
  return key;
}

export function formatVerifierKey(key: NoteKey, sha256: Sha256): string {
  return `${key.name}+${toNoteKeyId(key, sha256)}+${toBase64(joinBytes([key.type], key.publicKey))}`;
}

/** Returns the id of a key, in hexadecimal. It depends on the name and type too. */
export function toNoteKeyId(key: NoteKey, sha256: Sha256): string {
  return toHex(hashNoteKey(key, sha256));
}

function hashNoteKey({ name, type, publicKey }: NoteKey, sha256: Sha256): Uint8Array {
  return sha256(joinBytes(utf8.encode(`${name}\n`), [type], publicKey)).subarray(0, 4);
}

/** Splits the bytes of a signature. Returns null if they have another length. */
export type SplitSignature = (bytes: Uint8Array) => {
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
} | null;

/**
 * Returns the key's signatures in a note. All of them are valid. Signatures of other keys are ignored.
 *
 * @throws ShapeError if a signature has the key's name and id, but is invalid
 */
export async function verifyNoteKey(
  note: SignedNote,
  key: NoteKey,
  split: SplitSignature,
  { sha256, verifySignature }: NoteCrypto,
): Promise<readonly NoteSignature[]> {
  const keyId = toNoteKeyId(key, sha256);
  const own = note.signatures.filter((each) => each.name === key.name && each.keyId === keyId);
  for (const { bytes } of own) {
    const parts = split(bytes);
    const isValid =
      parts?.signature.length === 64 && (await verifySignature(key.publicKey, parts.signed, parts.signature));
    if (!isValid) throw new ShapeError(`The signature of ${quote(key.name)} is invalid.`);
  }
  return own;
}

const utf8 = new TextEncoder();

export function joinBytes(...parts: readonly ArrayLike<number>[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => Array.from(part)));
}

/** Formats a part of a note for an error message, short and on one line. */
function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
