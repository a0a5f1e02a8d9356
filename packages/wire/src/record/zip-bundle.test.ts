import { ZipWriter } from "@zip.js/zip.js/lib/zip-core-writer.js";
import { describe, expect, it } from "vitest";
import { openZipBundle, type RandomAccess } from "./zip-bundle.js";

const utf8 = new TextEncoder();

async function zip(files: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const collect = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) });
  const writer = new ZipWriter(collect, { useWebWorkers: false, zip64: true });
  for (const [name, text] of Object.entries(files)) await writer.add(name, new Blob([text]).stream());
  await writer.close();
  return Buffer.concat(chunks);
}

function toFile(bytes: Uint8Array): RandomAccess {
  return { size: bytes.length, read: async (at, length) => bytes.slice(at, at + length) };
}

async function readAll(chunks: AsyncIterable<Uint8Array> | undefined): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks ?? []) all.push(chunk);
  return Buffer.concat(all).toString();
}

describe("a bundle's archive", () => {
  it("gives its files by name, as often as they are asked for, and lets a reader stop early", async () => {
    const long = "hello ".repeat(100_000);
    const files = await openZipBundle(toFile(await zip({ "feed.ndjson": long, "empty.json": "" })));
    expect(files.names).toEqual(["feed.ndjson", "empty.json"]);
    for await (const chunk of files.open("feed.ndjson") ?? []) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(await readAll(files.open("feed.ndjson"))).toBe(long);
    expect(await readAll(files.open("empty.json"))).toBe("");
    expect(files.open("other.json")).toBeUndefined();
  });

  it("that is damaged, cut off or none is told of in a sentence", async () => {
    const whole = await zip({ "feed.ndjson": "hello ".repeat(1_000) });
    const damaged = Uint8Array.from(whole, (byte, place) => (place === 80 ? byte ^ 1 : byte));
    const files = await openZipBundle(toFile(damaged));
    await expect(readAll(files.open("feed.ndjson"))).rejects.toThrow(/^It is not a readable zip archive/);
    for (const bytes of [whole.slice(0, -30), utf8.encode("hello"), new Uint8Array(0)])
      await expect(openZipBundle(toFile(bytes))).rejects.toMatchObject({ name: "UnreadableZip" });
  });

  it("[ERR-7] that calls a file otherwise at its two places is refused, and is waited for no longer", async () => {
    const whole = Buffer.from(await zip({ "feed.ndjson": "hello" }));
    whole.write("b", whole.lastIndexOf("feed.ndjson"));
    const files = await openZipBundle(toFile(whole));
    await expect(readAll(files.open("beed.ndjson"))).rejects.toMatchObject({ name: "UnreadableZip" });
  });

  it("that unpacks to more than there may be is given up", { tags: "long" }, async () => {
    const bomb = toFile(await zip({ "feed.ndjson": "a".repeat(1_000_000) }));
    const files = await openZipBundle(bomb, { filesMax: 2, unpackedBytesMax: 100_000, ratioMax: 200 });
    await expect(readAll(files.open("feed.ndjson"))).rejects.toThrow("is too large when unpacked");
    // A denial-of-service attempt: one hundred million line breaks, packed into a hundred kilobytes.
    const newlines = await openZipBundle(toFile(await zip({ "feed.ndjson": "\n".repeat(100_000_000) })));
    let bytes = 0;
    const reading = async () => {
      for await (const chunk of newlines.open("feed.ndjson") ?? []) bytes += chunk.length;
    };
    await expect(reading()).rejects.toThrow("is too large when unpacked");
    expect(bytes).toBeLessThan(90_000_000);
    const many = toFile(await zip({ a: "1", b: "2", c: "3" }));
    await expect(openZipBundle(many, { filesMax: 2, unpackedBytesMax: 100, ratioMax: 200 })).rejects.toThrow(
      "more files",
    );
  });
});
