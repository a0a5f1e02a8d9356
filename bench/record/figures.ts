import { toLatency } from "../statistics.js";

/** A line of the report. */
export interface Figure {
  readonly name: string;
  readonly value: string;
}

export async function timeCall<Result>(work: () => Promise<Result>): Promise<{ ms: number; result: Result }> {
  const began = performance.now();
  const result = await work();
  return { ms: performance.now() - began, result };
}

/** Measures several calls, one after another. */
export async function measureCalls(
  count: number,
  work: (index: number) => Promise<unknown>,
): Promise<string> {
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) times.push((await timeCall(() => work(index))).ms);
  const { p50, p99 } = toLatency(times);
  return `${p50.toFixed(1)} ms (p99 ${p99.toFixed(1)})`;
}

export function formatSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

export function formatMegabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MiB`;
}
