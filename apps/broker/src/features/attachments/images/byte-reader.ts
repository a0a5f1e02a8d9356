/** Bytes that can be read at any offset. Returns fewer bytes than requested only at the end. */
export type ReadAt = (offset: number, length: number) => Promise<Uint8Array>;

/** A part of a cleaned image: a range of the original, or other bytes. */
export type Piece = { readonly from: number; readonly to: number } | Uint8Array;

/** Thrown for an image that ends early or contradicts its format. */
export class NotAnImage extends Error {
  override readonly name = "NotAnImage";
}

/** Reads the fields of an image at given offsets. */
export class ImageReader {
  readonly #readAt: ReadAt;
  readonly size: number;

  constructor(readAt: ReadAt, size: number) {
    this.#readAt = readAt;
    this.size = size;
  }

  /** @throws NotAnImage if the file ends within these bytes */
  async read(offset: number, length: number): Promise<Buffer> {
    if (offset + length > this.size) throw new NotAnImage("The file ends within the image.");
    const bytes = await this.#readAt(offset, length);
    if (bytes.length !== length) throw new NotAnImage("The file ends within the image.");
    return Buffer.from(bytes.buffer, bytes.byteOffset, length);
  }

  async readByte(offset: number): Promise<number> {
    return (await this.read(offset, 1)).readUInt8(0);
  }

  /** Reads up to this many bytes. */
  async readUpTo(offset: number, length: number): Promise<Buffer> {
    return this.read(offset, Math.max(0, Math.min(length, this.size - offset)));
  }
}

/** No real image is cut into so many, and each takes memory. */
const piecesMax = 10_000;

/** Collects the pieces of a cleaned image, and joins ranges that follow each other. */
export class Pieces {
  readonly list: Piece[] = [];

  keep(from: number, to: number): void {
    const last = this.list.at(-1);
    if (last && !(last instanceof Uint8Array) && last.to === from)
      this.list[this.list.length - 1] = { from: last.from, to };
    else this.list.push({ from, to });
    if (this.list.length > piecesMax) throw new NotAnImage("The image alternates too often with other data.");
  }

  add(bytes: Uint8Array): void {
    this.list.push(bytes);
  }
}
