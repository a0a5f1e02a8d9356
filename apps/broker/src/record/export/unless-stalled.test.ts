import { ReadableStream } from "node:stream/web";
import { limits } from "@merkle/wire/limits";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { unlessStalled } from "./unless-stalled.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function watched(chunks: readonly number[]) {
  const told: string[] = [];
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = chunks[told.filter((each) => each === "pull").length];
      told.push("pull");
      if (next === undefined) controller.close();
      else controller.enqueue(Uint8Array.of(next));
    },
    cancel: () => void told.push("cancelled"),
  });
  const stream = unlessStalled(source, {
    stalledMs: limits.exportStalledMsMax,
    onEnd: () => told.push("ended"),
    onError: () => told.push("failed"),
  });
  return { told, reader: stream.getReader() };
}

describe("a download", () => {
  it("[EXPORT-7] that nobody takes anything of for so long ends, and lets its source go", async () => {
    const { told, reader } = watched([1, 2, 3]);
    expect((await reader.read()).value).toEqual(Uint8Array.of(1));
    vi.advanceTimersByTime(limits.exportStalledMsMax - 1);
    expect((await reader.read()).value).toEqual(Uint8Array.of(2));
    vi.advanceTimersByTime(limits.exportStalledMsMax);
    await expect(reader.read()).rejects.toThrow("Nothing was taken of it for 60 s");
    expect(told).toEqual(expect.arrayContaining(["ended", "cancelled"]));
    expect(told).not.toContain("failed");
  });

  it("[EXPORT-7] that is taken whole, or given up, ends once", async () => {
    const whole = watched([1]);
    await whole.reader.read();
    expect((await whole.reader.read()).done).toBe(true);
    expect(whole.told.filter((each) => each === "ended")).toHaveLength(1);
    const givenUp = watched([1, 2]);
    await givenUp.reader.read();
    await givenUp.reader.cancel();
    expect(givenUp.told.filter((each) => each !== "pull")).toEqual(["ended", "cancelled"]);
  });
});
