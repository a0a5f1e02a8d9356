import { type ImageReader, NotAnImage, type Piece, Pieces } from "./byte-reader.js";

const signatureBytes = 8;
/** The chunks that decide how the image looks. All others describe it, or mean nothing to a viewer. */
const kept = new Set(
  [
    "IHDR",
    "PLTE",
    "IDAT",
    "IEND",
    "tRNS",
    "cHRM",
    "gAMA",
    "iCCP",
    "sBIT",
    "sRGB",
    "cICP",
    "bKGD",
    "pHYs",
  ].concat(
    ["acTL", "fcTL", "fdAT"], // Animation
  ),
);

/** Returns the parts of a PNG without its metadata and without anything that follows the image. */
export async function cleanPng(image: ImageReader): Promise<Piece[]> {
  const pieces = new Pieces();
  pieces.keep(0, signatureBytes);
  let offset = signatureBytes;
  for (;;) {
    const head = await image.read(offset, 8);
    const type = head.toString("latin1", 4, 8);
    // Each chunk has a length, a type, its data and a checksum.
    const end = offset + 12 + head.readUInt32BE(0);
    if (end > image.size) throw new NotAnImage("A chunk is longer than the file.");
    if (offset === signatureBytes && type !== "IHDR") throw new NotAnImage("The first chunk is not IHDR.");
    if (kept.has(type)) pieces.keep(offset, end);
    if (type === "IEND") return pieces.list;
    offset = end;
  }
}
