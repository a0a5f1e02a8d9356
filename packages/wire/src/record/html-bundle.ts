import { type RandomAccess, UnreadableZip } from "./zip-bundle.js";

/**
 * The HTML element that contains the bundle of an HTML export, in base64. All content written by users is
 * inside this element. Base64 has no character that could end the element or start another one.
 */
export const htmlRecord = { begin: '<script id="record" type="application/zip;base64">', end: "</script>" };

/**
 * Maximum size of the page before the record. Merkle generates this part, which is always the same and
 * consists mostly of styles.
 */
const headBytesMax = 512 * 1024;
const chunkBytes = 1024 * 1024;

/**
 * Returns the bundle in a file. For an HTML export, this is the record in the page, with random access. Any
 * other file is returned unchanged. Does not check the page around the record. `checkSurroundingPage` does
 * that.
 *
 * @throws UnreadableZip if a page has no record, or an incomplete one
 */
export async function extractBundle(file: RandomAccess): Promise<RandomAccess> {
  const place = await findRecord(file);
  if (place === null) return file;
  const { start } = place;
  const length = place.end - start;
  if (length % 4 !== 0) throw new UnreadableZip("The record in this file is incomplete.");
  const padding = toText(await file.read(start + Math.max(0, length - 2), 2)).match(/=/g)?.length ?? 0;
  return {
    size: (length / 4) * 3 - padding,
    async read(offset, wanted) {
      const first = Math.floor(offset / 3);
      const last = Math.min(Math.ceil((offset + wanted) / 3), length / 4);
      if (last <= first) return new Uint8Array();
      const bytes = fromBase64(toText(await file.read(start + first * 4, (last - first) * 4)));
      return bytes.subarray(offset - first * 3, offset - first * 3 + wanted);
    },
  };
}

/**
 * Finds where in an HTML export the record's base64 starts and ends. Returns null if the file is not a page.
 *
 * @throws UnreadableZip if a page has no record, or an incomplete one
 */
export async function findRecord(file: RandomAccess): Promise<{ start: number; end: number } | null> {
  const head = toText(await file.read(0, Math.min(file.size, headBytesMax)));
  if (!/^\s*<!doctype html>/i.test(head)) return null;
  const place = head.indexOf(htmlRecord.begin);
  if (place < 0) throw new UnreadableZip("It is a web page without a record.");
  const start = place + htmlRecord.begin.length;
  return { start, end: await findEnd(file, start) };
}

async function findEnd(file: RandomAccess, start: number): Promise<number> {
  for (let at = start; at < file.size; at += chunkBytes) {
    const index = (await file.read(at, Math.min(chunkBytes, file.size - at))).indexOf(0x3c);
    if (index >= 0) return at + index;
  }
  throw new UnreadableZip("The record in this file is incomplete.");
}

/**
 * Decodes base64.
 *
 * @throws UnreadableZip if the text is not base64
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new UnreadableZip("The record in this file is not base64.", { cause });
  }
}

/**
 * Decodes bytes into a string with one character per byte, so that positions in the string are also positions
 * in the file.
 */
function toText(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
