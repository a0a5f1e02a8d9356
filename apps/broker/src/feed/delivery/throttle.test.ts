import { expect, it, onTestFinished, vi } from "vitest";
import { createThrottle } from "./throttle.js";

it("[MESH-4] a hint is told at once, those that follow once when its time is over, and each name has its own time", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  const throttle = createThrottle(1_000);
  const hint = (name: string, what: string) => throttle.hint(name, () => told.push(`${name} ${what}`));

  hint("a", "1");
  hint("a", "2");
  vi.advanceTimersByTime(400);
  hint("b", "1");
  hint("a", "3");
  expect(told).toEqual(["a 1", "b 1"]);
  vi.advanceTimersByTime(600);
  expect(told).toEqual(["a 1", "b 1", "a 3"]);
  hint("a", "4");
  vi.advanceTimersByTime(999);
  expect(told).toHaveLength(3);
  vi.advanceTimersByTime(1);
  expect(told).toEqual(["a 1", "b 1", "a 3", "a 4"]);
  vi.advanceTimersByTime(5_000);
  hint("b", "2");
  expect(told.slice(4)).toEqual(["b 2"]);
  vi.advanceTimersByTime(5_000);
  expect(vi.getTimerCount(), "nothing is left to be told").toBe(0);

  hint("a", "5");
  hint("a", "6");
  throttle.stop();
  expect(vi.getTimerCount()).toBe(0);
});
