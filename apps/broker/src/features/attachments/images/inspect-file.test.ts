import { describe, expect, it } from "vitest";
import type { Piece } from "./byte-reader.js";
import { inspectFile } from "./inspect-file.js";

const bytesOf = (...parts: (string | readonly number[] | Uint8Array)[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))),
  );

async function inspect(file: Buffer): Promise<{ type: string; cleaned: Buffer | null }> {
  const { type, pieces } = await inspectFile(
    async (offset, length) => file.subarray(offset, offset + length),
    file.length,
  );
  return { type, cleaned: pieces && join(file, pieces) };
}

function join(file: Buffer, pieces: readonly Piece[]): Buffer {
  return bytesOf(
    ...pieces.map((piece) => (piece instanceof Uint8Array ? piece : file.subarray(piece.from, piece.to))),
  );
}

function pngChunk(type: string, data = ""): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return bytesOf(length, type, data, "crc.");
}

const pngHead = "\x89PNG\r\n\x1a\n";
const picture = [pngChunk("IHDR", "13 bytes here"), pngChunk("IDAT", "pixels"), pngChunk("IEND")] as const;

function jpegSegment(marker: number, data: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.length + 2);
  return bytesOf([0xff, marker], length, data);
}

const exifOf = (orientation: number) =>
  `Exif\0\0II*\0\x08\0\0\0\x02\0\x10\x01\x02\0\x05\0\0\0\0\0\0\0\x12\x01\x03\0\x01\0\0\0${String.fromCharCode(orientation)}\0\0\0\0\0\0\0Camera`;
const jpegHead = [0xff, 0xd8];
const jpegEnd = [0xff, 0xd9];
const scan = bytesOf(jpegSegment(0xda, "head"), [1, 2, 0xff, 0x00, 3, 0xff, 0xd0, 4]);
const table = jpegSegment(0xdb, "quantisation");

function webpChunk(type: string, data: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  return bytesOf(type, length, data, data.length % 2 ? "\0" : "");
}

function webp(...chunks: Buffer[]): Buffer {
  const body = bytesOf("WEBP", ...chunks);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return bytesOf("RIFF", length, body);
}

const gifHead = bytesOf("GIF89a", [1, 0, 1, 0, 0x80, 0, 0], [0, 0, 0, 255, 255, 255]);
const gifFrame = bytesOf([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0]);
const gifLoop = bytesOf([0x21, 0xff, 11], "NETSCAPE2.0", [3, 1, 0, 0, 0]);

describe("A file's type and metadata", () => {
  it("[ATTACH-4] a file is what its bytes are: five types that can be shown, else binary data", async () => {
    const types = {
      "image/png": bytesOf(pngHead, ...picture),
      "image/jpeg": bytesOf(jpegHead, table, scan, jpegEnd),
      "image/gif": bytesOf(gifHead, gifFrame, [0x3b]),
      "image/webp": webp(webpChunk("VP8 ", "pixels")),
      "text/plain": bytesOf("\x1b[31mred\x1b[0m\r\n\tB\xc3\xa4r\n"),
    };
    for (const [type, file] of Object.entries(types)) expect((await inspect(file)).type).toBe(type);
    // HTML and SVG are text, and never anything that a browser runs.
    expect((await inspect(bytesOf("<svg onload='alert(1)'></svg>"))).type).toBe("text/plain");
    expect((await inspect(bytesOf(""))).type).toBe("text/plain");
    for (const binary of ["a\0b", "\xff\xfe", "%PDF-1.7\x01", "\xe4"])
      expect((await inspect(bytesOf(binary))).type).toBe("application/octet-stream");
  });

  it("[ATTACH-5] PNG, JPEG, WebP and GIF lose what describes them and what follows them, and keep the picture", async () => {
    const appended = "PK\x03\x04<script>";
    const [header, pixels, end] = picture;
    const png = bytesOf(
      pngHead,
      header,
      pngChunk("eXIf", "place"),
      pngChunk("tEXt", "author"),
      pixels,
      end,
      appended,
    );
    expect((await inspect(png)).cleaned).toEqual(bytesOf(pngHead, ...picture));

    const profile = jpegSegment(0xe2, "ICC_PROFILE\0colours");
    const described = [jpegSegment(0xe1, "http://ns.adobe.com/xap/1.0/\0place"), jpegSegment(0xfe, "author")];
    const jpeg = bytesOf(jpegHead, ...described, profile, table, scan, table, scan, jpegEnd, appended);
    expect((await inspect(jpeg)).cleaned).toEqual(
      bytesOf(jpegHead, profile, table, scan, table, scan, jpegEnd),
    );

    const extended = (flags: number) => webpChunk("VP8X", `${String.fromCharCode(flags)}\0\0\0\0\0\0\0\0\0`);
    const photo = bytesOf(
      webp(extended(0x2c), webpChunk("VP8 ", "pixels"), webpChunk("EXIF", "where")),
      appended,
    );
    expect((await inspect(photo)).cleaned).toEqual(webp(extended(0x20), webpChunk("VP8 ", "pixels")));

    const comment = bytesOf([0x21, 0xfe, 6], "author", [0]);
    const xmp = bytesOf([0x21, 0xff, 11], "XMP DataXMP", [5], "place", [0]);
    const gif = bytesOf(gifHead, gifLoop, comment, xmp, gifFrame, [0x3b], appended);
    expect((await inspect(gif)).cleaned).toEqual(bytesOf(gifHead, gifLoop, gifFrame, [0x3b]));
  });

  it("[ATTACH-5] a JPEG keeps its orientation, and nothing else of its EXIF data", async () => {
    const { cleaned } = await inspect(bytesOf(jpegHead, jpegSegment(0xe1, exifOf(6)), table, scan, jpegEnd));
    const text = cleaned?.toString("latin1") ?? "";
    expect(text).toContain("Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0");
    expect(text).not.toContain("Camera");
    const again = await inspect(cleaned ?? Buffer.alloc(0));
    expect(again.cleaned).toEqual(cleaned);
    const upright = await inspect(bytesOf(jpegHead, jpegSegment(0xe1, exifOf(1)), table, scan, jpegEnd));
    expect(upright.cleaned).toEqual(bytesOf(jpegHead, table, scan, jpegEnd));
  });

  it("[ATTACH-5] an image that ends early or contradicts its format is binary data", async () => {
    const whole = {
      png: bytesOf(pngHead, ...picture),
      jpeg: bytesOf(jpegHead, jpegSegment(0xe1, exifOf(6)), table, scan, jpegEnd),
      gif: bytesOf(gifHead, gifLoop, gifFrame, [0x3b]),
      webp: webp(webpChunk("VP8 ", "pixels")),
    };
    for (const file of Object.values(whole))
      for (let length = 12; length < file.length; length += 1)
        expect(await inspect(file.subarray(0, length))).toEqual({
          type: "application/octet-stream",
          cleaned: null,
        });
    const oversized = bytesOf(pngHead, [0xff, 0xff, 0xff, 0xff], "IHDR");
    for (const file of [oversized, bytesOf(gifHead, [0x99]), bytesOf(jpegHead, [0xff, 0xd8, 0xff, 0xd9])])
      expect((await inspect(file)).type).toBe("application/octet-stream");
  });
});
