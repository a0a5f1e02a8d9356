import { setTimeout as delay } from "node:timers/promises";

/** What a process under measurement says of itself. */
export type StateQuestion = { readonly state: "cpu" | "memory" };

export interface Cpu {
  /** Processor time used since the process began. */
  readonly microseconds: number;
}

export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

export async function readState({ state }: StateQuestion): Promise<Cpu | Memory> {
  if (state === "memory") return settledMemory();
  const { user, system } = process.cpuUsage();
  return { microseconds: user + system };
}

const settleStepMs = 200;
const settleStepsMax = 5;

/** What is held, not what is yet to be collected: read once collecting garbage changes it no more by a hundredth. */
async function settledMemory(): Promise<Memory> {
  let rss = Number.POSITIVE_INFINITY;
  for (let step = 0; step < settleStepsMax; step += 1) {
    // There under --expose-gc.
    global.gc?.();
    await delay(settleStepMs);
    const before = rss;
    rss = process.memoryUsage.rss();
    if (Math.abs(before - rss) < rss / 100) break;
  }
  const { heapUsed, external } = process.memoryUsage();
  return { rss, heapUsed, external };
}
