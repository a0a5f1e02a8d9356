import { limits } from "@merkle/wire/limits";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createTransferRate } from "./transfer-rate.js";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

const { transferBytesPerSecondMin: bytesPerSecondMin, transferWindowMs: windowMs } = limits;
const enough = (bytesPerSecondMin * windowMs) / 1_000;

function watch() {
  const onSlow = vi.fn();
  return { onSlow, rate: createTransferRate({ bytesPerSecondMin, windowMs, onSlow }) };
}

it("[EXPORT-7] [LIMIT-1] a window with fewer bytes than the minimum rate ends the transfer, one with as many does not", () => {
  for (const [bytes, calls] of [
    [enough, 0],
    [enough - 1, 1],
  ] as const) {
    const { rate, onSlow } = watch();
    rate.count(bytes);
    rate.wait();
    vi.advanceTimersByTime(windowMs);
    expect(onSlow).toHaveBeenCalledTimes(calls);
    rate.stop();
  }
});

it("[EXPORT-7] drops do not begin a new window, and the broker's own work does not count", () => {
  const { rate, onSlow } = watch();
  for (let second = 0; second < windowMs / 1_000; second += 1) {
    rate.wait();
    vi.advanceTimersByTime(999);
    rate.count(1);
    vi.advanceTimersByTime(60_000);
    expect(onSlow).not.toHaveBeenCalled();
  }
  rate.wait();
  vi.advanceTimersByTime(1_000);
  expect(onSlow).toHaveBeenCalledOnce();
});
