import { ReadableStream } from "node:stream/web";
import { limits } from "@merkle/wire/limits";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cancelIfStalled } from "./cancel-if-stalled.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const { transferBytesPerSecondMin: bytesPerSecondMin, transferWindowMs: windowMs } = limits;
const enough = (bytesPerSecondMin * windowMs) / 1_000;

function watched(chunkBytes: readonly number[]) {
  const events: string[] = [];
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = chunkBytes[events.filter((each) => each === "pull").length];
        events.push("pull");
        if (next === undefined) controller.close();
        else controller.enqueue(new Uint8Array(next));
      },
      cancel: () => void events.push("cancelled"),
    },
    { highWaterMark: 0 },
  );
  let working = 0;
  const stream = cancelIfStalled(source, {
    bytesPerSecondMin,
    windowMs,
    async runWork(read) {
      working += 1;
      try {
        return await read();
      } finally {
        working -= 1;
      }
    },
    onEnd: () => events.push("ended"),
    onError: () => events.push("failed"),
  });
  return { events, reader: stream.getReader(), isWorking: () => working > 0 };
}

describe("a download", () => {
  it("[EXPORT-7] slower than the minimum rate ends, and its source is released", async () => {
    const { events, reader, isWorking } = watched([enough, enough - 1, 1]);
    expect((await reader.read()).value).toHaveLength(enough);
    expect(isWorking()).toBe(false);
    vi.advanceTimersByTime(windowMs);
    expect((await reader.read()).value).toHaveLength(enough - 1);
    vi.advanceTimersByTime(windowMs);
    await expect(reader.read()).rejects.toThrow("less than 8192 bytes a second");
    expect(events).toEqual(expect.arrayContaining(["ended", "cancelled"]));
    expect(events).not.toContain("failed");
  });

  it("[EXPORT-7] that is taken whole, or given up, ends once", async () => {
    const whole = watched([1]);
    await whole.reader.read();
    expect((await whole.reader.read()).done).toBe(true);
    expect(whole.events.filter((each) => each === "ended")).toHaveLength(1);
    const givenUp = watched([1, 2]);
    await givenUp.reader.read();
    await givenUp.reader.cancel();
    expect(givenUp.events.filter((each) => each !== "pull")).toEqual(["ended", "cancelled"]);
  });
});
