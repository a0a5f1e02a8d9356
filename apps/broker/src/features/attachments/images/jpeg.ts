import { type ImageReader, NotAnImage, type Piece, Pieces } from "./byte-reader.js";

const startOfScan = 0xda;
const endOfImage = 0xd9;
const comment = 0xfe;
const jfif = 0xe0;
const exif = 0xe1;
const iccProfile = 0xe2;
const adobe = 0xee;
/** Length of a JFIF segment without a preview. */
const jfifBytes = 16;

const isApplicationData = (marker: number) => marker >= 0xe0 && marker <= 0xef;
/** Markers without a length: the start and end of the image, restarts, and TEM. */
const standsAlone = (marker: number) => (marker >= 0xd0 && marker <= 0xd9) || marker === 0x01;

/** Returns the parts of a JPEG without metadata except its orientation, and without anything that follows the image. */
export async function cleanJpeg(image: ImageReader): Promise<Piece[]> {
  const pieces = new Pieces();
  pieces.keep(0, 2);
  let offset = 2;
  let hasOrientation = false;
  for (;;) {
    const [marker, at] = await findMarker(image, offset);
    if (marker === endOfImage) {
      pieces.keep(at, at + 2);
      return pieces.list;
    }
    if (standsAlone(marker)) throw new NotAnImage("The JPEG has a marker outside of its scan.");
    const length = (await image.read(at + 2, 2)).readUInt16BE(0);
    const end = at + 2 + length;
    if (length < 2 || end > image.size) throw new NotAnImage("A segment is longer than the file.");
    if (isKept(marker, length, await image.readUpTo(at + 4, Math.min(12, length - 2)))) {
      pieces.keep(at, end);
    } else if (marker === exif && !hasOrientation) {
      const orientation = readOrientation(await image.read(at + 4, length - 2));
      if (orientation !== null) pieces.add(toOrientationSegment(orientation));
      hasOrientation = orientation !== null;
    }
    offset = end;
    if (marker === startOfScan) {
      offset = await skipScan(image, end);
      pieces.keep(end, offset);
    }
  }
}

/** Keeps what decides the picture, its colours, and the density that JFIF states. */
function isKept(marker: number, length: number, data: Buffer): boolean {
  if (marker === comment) return false;
  if (!isApplicationData(marker)) return true;
  const name = data.toString("latin1");
  // A longer one contains a preview, which can show what was cut off the picture later.
  if (marker === jfif) return name.startsWith("JFIF\0") && length === jfifBytes;
  if (marker === iccProfile) return name.startsWith("ICC_PROFILE\0");
  if (marker === adobe) return name.startsWith("Adobe");
  return false;
}

/** Finds the next marker. Segments may be preceded by fill bytes. */
async function findMarker(
  image: ImageReader,
  offset: number,
): Promise<readonly [marker: number, at: number]> {
  if ((await image.readByte(offset)) !== 0xff) throw new NotAnImage("A segment of the JPEG has no marker.");
  let at = offset;
  let marker = await image.readByte(at + 1);
  while (marker === 0xff) {
    at += 1;
    marker = await image.readByte(at + 1);
  }
  return [marker, at];
}

const windowBytes = 64 * 1024;

/** Returns the end of the compressed data that follows the head of a scan. */
async function skipScan(image: ImageReader, start: number): Promise<number> {
  let offset = start;
  for (;;) {
    const window = await image.readUpTo(offset, windowBytes);
    if (window.length < 2) throw new NotAnImage("The JPEG ends within its picture.");
    let at = window.indexOf(0xff);
    while (at >= 0 && at + 1 < window.length) {
      const next = window.readUInt8(at + 1);
      // A zero byte escapes 0xff in the data, and a restart marker is part of it.
      const isData = next === 0x00 || (next >= 0xd0 && next <= 0xd7);
      if (!isData) return offset + at;
      at = window.indexOf(0xff, at + 2);
    }
    // A marker may begin with the window's last byte.
    offset += at < 0 ? window.length : at;
  }
}

const exifName = "Exif\0\0";
const orientationTag = 0x0112;

/** Returns the orientation that EXIF data states, from 2 to 8, or null if there is none or the image is upright. */
function readOrientation(data: Buffer): number | null {
  if (data.toString("latin1", 0, 6) !== exifName || data.length < 14) return null;
  const tiff = data.subarray(6);
  const order = tiff.toString("latin1", 0, 2);
  if (order !== "II" && order !== "MM") return null;
  const read16 = (at: number) => (order === "II" ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = order === "II" ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return null;
  const entries = read16(directory);
  for (let index = 0; index < entries; index += 1) {
    const entry = directory + 2 + 12 * index;
    if (entry + 12 > tiff.length) return null;
    if (read16(entry) !== orientationTag) continue;
    const value = read16(entry + 8);
    return value >= 2 && value <= 8 ? value : null;
  }
  return null;
}

/** Makes a segment of EXIF data with an orientation and nothing else. */
function toOrientationSegment(orientation: number): Uint8Array {
  const segment = Buffer.alloc(36);
  segment.writeUInt16BE(0xff00 | exif, 0);
  segment.writeUInt16BE(34, 2); // Length, itself included
  segment.write(exifName, 4, "latin1");
  segment.write("MM\0*", 10, "latin1"); // Big-endian TIFF
  segment.writeUInt32BE(8, 14); // Offset of the directory
  segment.writeUInt16BE(1, 18); // One entry
  segment.writeUInt16BE(orientationTag, 20);
  segment.writeUInt16BE(3, 22); // Of type SHORT
  segment.writeUInt32BE(1, 24); // One value
  segment.writeUInt16BE(orientation, 28);
  // The rest of the value, and the offset of the next directory, are 0.
  return segment;
}
