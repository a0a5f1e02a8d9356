import { ImageReader, NotAnImage, type Piece, type ReadAt } from "./byte-reader.js";
import { cleanGif } from "./gif.js";
import { cleanJpeg } from "./jpeg.js";
import { cleanPng } from "./png.js";
import { cleanWebp } from "./webp.js";

/** The type that a file's bytes have, and for an image the parts that remain without its metadata. */
export interface InspectedFile {
  readonly type: string;
  readonly pieces: readonly Piece[] | null;
}

/** The types that browsers may show. All others are only saved (ATTACH-9). */
export const shownTypes: ReadonlySet<string> = new Set([
  ...["image/png", "image/jpeg", "image/webp", "image/gif"],
  "text/plain",
]);

/**
 * Determines what a file is by its bytes alone (ATTACH-4). An image that cannot be read to its end is no image, because
 * it could not be cleaned.
 */
export async function inspectFile(readAt: ReadAt, size: number): Promise<InspectedFile> {
  const image = new ImageReader(readAt, size);
  const format = findFormat(await image.readUpTo(0, 12));
  if (format) {
    try {
      return { type: format.type, pieces: await format.clean(image) };
    } catch (error) {
      if (!(error instanceof NotAnImage)) throw error;
      return { type: binary, pieces: null };
    }
  }
  return { type: (await isText(readAt, size)) ? "text/plain" : binary, pieces: null };
}

const binary = "application/octet-stream";

interface Format {
  readonly type: string;
  readonly clean: (image: ImageReader) => Promise<Piece[]>;
}

function findFormat(head: Buffer): Format | null {
  const text = head.toString("latin1");
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return { type: "image/png", clean: cleanPng };
  if (text.startsWith("\xff\xd8\xff")) return { type: "image/jpeg", clean: cleanJpeg };
  if (/^GIF8[79]a/.test(text)) return { type: "image/gif", clean: cleanGif };
  if (/^RIFF[\s\S]{4}WEBP/.test(text)) return { type: "image/webp", clean: cleanWebp };
  return null;
}

const windowBytes = 256 * 1024;

/** Returns whether the bytes are UTF-8 without any byte that browsers take for binary data. */
async function isText(readAt: ReadAt, size: number): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for (let offset = 0; offset < size; offset += windowBytes) {
      const bytes = await readAt(offset, Math.min(windowBytes, size - offset));
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      if (/[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(decoder.decode(bytes, { stream: true }))) return false;
    }
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
