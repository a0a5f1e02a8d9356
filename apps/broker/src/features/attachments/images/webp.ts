import { type ImageReader, NotAnImage, type Piece, Pieces } from "./byte-reader.js";

const kept = new Set(["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]);
/** The flags of VP8X that announce EXIF and XMP. */
const metadataFlags = 0x08 | 0x04;
const extendedHeadBytes = 18;

/** Returns the parts of a WebP without EXIF, XMP and unknown chunks, and without anything that follows the image. */
export async function cleanWebp(image: ImageReader): Promise<Piece[]> {
  const head = await image.read(0, 12);
  const end = 8 + head.readUInt32LE(4);
  if (end > image.size) throw new NotAnImage("The WebP is longer than the file.");
  const pieces = new Pieces();
  let size = 4; // The word "WEBP"
  let offset = 12;
  while (offset < end) {
    const chunk = await image.read(offset, 8);
    const type = chunk.toString("latin1", 0, 4);
    const length = chunk.readUInt32LE(4);
    const next = offset + 8 + length + (length % 2);
    if (next > end) throw new NotAnImage("A chunk is longer than the WebP.");
    if (kept.has(type)) {
      size += next - offset;
      if (type === "VP8X") await keepExtendedHead(image, pieces, { offset, next });
      else pieces.keep(offset, next);
    }
    offset = next;
  }
  if (pieces.list.length === 0) throw new NotAnImage("The WebP has no picture.");
  const riff = Buffer.from(head);
  riff.writeUInt32LE(size, 4);
  return [riff, ...pieces.list];
}

/** Keeps the chunk that announces the others, and clears the flags of those that were removed. */
async function keepExtendedHead(
  image: ImageReader,
  pieces: Pieces,
  { offset, next }: { readonly offset: number; readonly next: number },
): Promise<void> {
  if (next - offset !== extendedHeadBytes) throw new NotAnImage("The head of the WebP has a wrong size.");
  const head = Buffer.from(await image.read(offset, extendedHeadBytes));
  head.writeUInt8(head.readUInt8(8) & ~metadataFlags, 8);
  pieces.add(head);
}
