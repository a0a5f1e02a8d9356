import { type ImageReader, NotAnImage, type Piece, Pieces } from "./byte-reader.js";

const trailer = 0x3b;
const extension = 0x21;
const picture = 0x2c;
const graphicControl = 0xf9;
const application = 0xff;

/** Returns the parts of a GIF without comments, texts and unknown applications' data, and without what follows it. */
export async function cleanGif(image: ImageReader): Promise<Piece[]> {
  const pieces = new Pieces();
  const screen = await image.read(0, 13);
  let offset = 13 + countColourTableBytes(screen.readUInt8(10));
  pieces.keep(0, offset);
  for (;;) {
    const kind = await image.readByte(offset);
    if (kind === trailer) {
      pieces.keep(offset, offset + 1);
      return pieces.list;
    }
    const start = offset;
    if (kind === picture) {
      const descriptor = await image.read(offset, 10);
      // The descriptor, its colours, and the size of the codes.
      offset = await skipSubBlocks(image, offset + 10 + countColourTableBytes(descriptor.readUInt8(9)) + 1);
      pieces.keep(start, offset);
    } else if (kind === extension) {
      const isKept = await isKeptExtension(image, offset);
      offset = await skipSubBlocks(image, offset + 2);
      if (isKept) pieces.keep(start, offset);
    } else {
      throw new NotAnImage("A block of the GIF is of no known kind.");
    }
  }
}

/** Keeps what controls an animation. Application blocks are otherwise used for metadata. */
async function isKeptExtension(image: ImageReader, offset: number): Promise<boolean> {
  const label = await image.readByte(offset + 1);
  if (label === graphicControl) return true;
  if (label !== application) return false;
  const name = (await image.readUpTo(offset + 3, 11)).toString("latin1");
  return name === "NETSCAPE2.0" || name === "ANIMEXTS1.0";
}

function countColourTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0;
}

async function skipSubBlocks(image: ImageReader, offset: number): Promise<number> {
  let next = offset;
  for (;;) {
    const length = await image.readByte(next);
    next += 1 + length;
    if (length === 0) return next;
  }
}
