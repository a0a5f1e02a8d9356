import { limits } from "@merkle/wire/limits";
import { expect, it } from "vitest";
import { fillChunks } from "./stored-bytes.js";

it("[ATTACH-11] [LIMIT-1] bytes are stored in parts of fileChunkBytes, however they arrive", async () => {
  const max = limits.fileChunkBytes;
  for (const sizes of [[max - 1], [max], [max + 1], [1, max, max - 1], [5 * max + 3], []]) {
    async function* arrive(): AsyncGenerator<Uint8Array> {
      for (const size of sizes) yield new Uint8Array(size).fill(size % 251);
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of fillChunks(arrive())) chunks.push(chunk);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(chunks.slice(0, -1).every(({ length }) => length === max)).toBe(true);
    expect(chunks.at(-1)?.length ?? 0).toBeLessThanOrEqual(max);
    const expected: Uint8Array[] = [];
    for await (const part of arrive()) expected.push(part);
    expect(Buffer.concat(chunks).equals(Buffer.concat(expected))).toBe(true);
    expect(Buffer.concat(chunks)).toHaveLength(total);
  }
});
