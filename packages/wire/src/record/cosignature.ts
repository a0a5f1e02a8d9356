import type { SignedCheckpoint } from "./checkpoint.js";
import { joinBytes, type NoteCrypto, type NoteKey, verifyNoteKey } from "./signed-note.js";

/**
 * Returns the bytes that a witness signs (C2SP tlog-cosignature, v1). They state that at this time the
 * checkpoint was the largest tree of its origin that the witness had seen, and consistent with all earlier ones.
 *
 * @param text - the checkpoint's text, without signatures
 * @param at - time in seconds
 */
export function encodeCosignature(text: string, at: number): Uint8Array {
  return new TextEncoder().encode(`cosignature/v1\ntime ${at}\n${text}`);
}

/** Returns a cosignature as the bytes of a note's signature: the time, and the 64 bytes that the key made. */
export function joinCosignature(at: number, signature: Uint8Array): Uint8Array {
  const time = new Uint8Array(8);
  new DataView(time.buffer).setBigUint64(0, BigInt(at));
  return joinBytes(time, signature);
}

/**
 * Resolves to the time, in seconds, at which a witness cosigned the checkpoint. Null if it did not. If the
 * note has several cosignatures of the witness, the latest counts.
 *
 * @throws ShapeError if a cosignature has the key's name and id, but is invalid
 */
export async function findCosignedAt(
  { note }: SignedCheckpoint,
  key: NoteKey,
  crypto: NoteCrypto,
): Promise<number | null> {
  const split = (bytes: Uint8Array) => {
    const at = readTime(bytes);
    return at === null ? null : { signed: encodeCosignature(note.text, at), signature: bytes.subarray(8) };
  };
  const times = (await verifyNoteKey(note, key, split, crypto)).map(({ bytes }) => readTime(bytes) ?? 0);
  return times.length === 0 ? null : Math.max(...times);
}

/** Returns the time in a cosignature, or null if the bytes are not a cosignature with a safe integer. */
function readTime(bytes: Uint8Array): number | null {
  if (bytes.length !== 72) return null;
  const at = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  return Number.isSafeInteger(at) ? at : null;
}
