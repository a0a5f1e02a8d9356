import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Progress, withProgress } from "./progress.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("[MCP-15] a call with a token is told every ten seconds that it goes on, and nothing after its end", async () => {
  const told: Progress[] = [];
  const send = async (progress: Progress) => void told.push(progress);
  let resolve: (text: string) => void = () => undefined;
  const promise = new Promise<string>((end) => {
    resolve = end;
  });
  const running = withProgress("t", send, () => promise);
  await vi.advanceTimersByTimeAsync(25_000);
  expect(told.map(({ progressToken, progress }) => [progressToken, progress])).toEqual([
    ["t", 10],
    ["t", 20],
  ]);
  resolve("done");
  expect(await running).toBe("done");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toHaveLength(2);
  expect(vi.getTimerCount()).toBe(0);
});

it("[MCP-15] without a token nothing is told, and a failure is passed on", async () => {
  const send = async () => {
    throw new Error("told");
  };
  await expect(withProgress(undefined, send, async () => 1)).resolves.toBe(1);
  await expect(withProgress(7, send, async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
});
