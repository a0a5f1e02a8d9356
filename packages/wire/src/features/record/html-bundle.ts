import { type RandomAccess, UnreadableZip } from "./zip-bundle.js";

/**
 * The element of an HTML export that holds the bundle, in base64. Whatever anybody wrote stands in there alone, and base64 has no
 * sign that could end the element or begin another one.
 */
export const htmlRecord = { begin: '<script id="record" type="application/zip;base64">', end: "</script>" };

/** What comes before the record is of our own making and always the same: its styles are most of it. */
const headBytesMax = 512 * 1024;
const chunkBytes = 1024 * 1024;

/**
 * Returns the bundle in a file: the record of an HTML export, which can be read from anywhere in it; of other files the file
 * itself. It says nothing about the page around the record: see `checkSurroundingPage`.
 *
 * @throws UnreadableZip for a page without a record, or with one that is cut off
 */
export async function bundleIn(file: RandomAccess): Promise<RandomAccess> {
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
 * Finds the base64 of the record in a page. Null for a file that is no page.
 *
 * @throws UnreadableZip as `bundleIn` does
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
    const found = (await file.read(at, Math.min(chunkBytes, file.size - at))).indexOf(0x3c);
    if (found >= 0) return at + found;
  }
  throw new UnreadableZip("The record in this file is incomplete.");
}

/** @throws UnreadableZip */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  } catch (cause) {
    throw new UnreadableZip("The record in this file is not base64.", { cause });
  }
}

/** A character a byte, so that places in the text are places in the file. */
function toText(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}
