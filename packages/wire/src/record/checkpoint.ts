import { fromBase64, toBase64 } from "../core/base64.js";
import { sameBytes } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { ShapeError } from "../core/shape.js";
import { fromBase64url } from "../identity/base64url.js";
import type { AuditKey } from "../identity/head.js";
import {
  isNoteName,
  type NoteCrypto,
  type NoteKey,
  noteKeyTypes,
  parseSignedNote,
  type SignedNote,
  verifyNoteKey,
} from "./signed-note.js";

/** A statement about a mesh's log (C2SP tlog-checkpoint): its size and root. The broker signs it. */
export interface LogCheckpoint {
  /** Names the log and its key: `merkle/<mesh id>/<epoch>`. */
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** A checkpoint and the note it was parsed from. The note's signatures are not verified yet. */
export interface SignedCheckpoint extends LogCheckpoint {
  readonly note: SignedNote;
}

/**
 * Parses a checkpoint of a mesh's log (WITNESS-2).
 *
 * @throws ShapeError if the text is not such a checkpoint
 */
export function parseCheckpoint(text: string, sha256: Sha256): SignedCheckpoint {
  const note = parseSignedNote(text);
  const [origin = "", size = "", hash = "", end, ...rest] = note.text.split("\n");
  // Further lines are refused: implementations disagree about whether a cosignature covers them.
  if (!isNoteName(origin) || !/^merkle\/./u.test(origin) || end !== "" || rest.length > 0) {
    throw new ShapeError(
      'Expected a checkpoint: three lines, with an origin that begins with "merkle/", the size and the root.',
    );
  }
  const root = fromBase64(hash);
  if (!/^(?:0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size)) || root?.length !== 32) {
    throw new ShapeError("Expected a size in decimal digits and a root of 32 bytes in base64.");
  }
  if (size === "0" && !sameBytes(root, sha256(new Uint8Array()))) {
    throw new ShapeError("The checkpoint is of an empty log, but its root is not the root of an empty log.");
  }
  return { origin, size: Number(size), root, note };
}

/** Returns the text that the log's key signs. */
export function formatCheckpoint({ origin, size, root }: LogCheckpoint): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** Returns the origin of a mesh's log. A restore begins a new epoch, and therefore a new log. */
export function toLogOrigin({ meshId, epoch }: { readonly meshId: string; readonly epoch: string }): string {
  return `merkle/${meshId}/${epoch}`;
}

/** Returns the mesh whose log an origin names, or null if the origin is not `merkle/<mesh id>/<epoch>`. */
export function findOriginMesh(origin: string): string | null {
  return /^merkle\/([^/]+)\/[^/]+$/.exec(origin)?.[1] ?? null;
}

/** Returns an audit key as the key of a log, or null if the key is malformed. */
export function toLogKey({ public_key }: Pick<AuditKey, "public_key">, origin: string): NoteKey | null {
  const publicKey = fromBase64url(public_key, 32);
  return publicKey && { name: origin, type: noteKeyTypes.log, publicKey };
}

/**
 * Resolves to true if the log's key signed the checkpoint, and to false if the note has no signature of the
 * key.
 *
 * @throws ShapeError if a signature has the key's name and id, but is invalid
 */
export async function isSignedByLog(
  { note }: SignedCheckpoint,
  key: NoteKey,
  crypto: NoteCrypto,
): Promise<boolean> {
  const signed = new TextEncoder().encode(note.text);
  return (await verifyNoteKey(note, key, (signature) => ({ signed, signature }), crypto)).length > 0;
}
