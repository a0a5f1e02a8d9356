import { readdir, readFile } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { setTimeout as delay } from "node:timers/promises";

/**
 * A question about a measured process. `allocated` is asked twice: the first question starts the count, the second ends
 * it.
 */
export type StateQuestion = { readonly state: "cpu" | "memory" | "allocated" };

export interface Cpu {
  /** CPU time used since the process started. */
  readonly microseconds: number;
}

export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

export interface Allocation {
  /**
   * Bytes allocated on the heap between the first and the second `allocated` question, including garbage. 0 in the
   * answer to the first question.
   */
  readonly bytes: number;
}

export async function readState({ state }: StateQuestion): Promise<Cpu | Memory | Allocation> {
  if (state === "memory") return settledMemory();
  if (state === "allocated") return { bytes: await readAllocated() };
  const { user, system } = process.cpuUsage();
  return { microseconds: user + system };
}

let profiler: Session | null = null;

interface SampledNode {
  readonly selfSize: number;
  readonly children: readonly SampledNode[];
}

/**
 * Samples one allocation per 64 KiB. Sampling takes a tenth of a post's CPU time, so CPU times are measured in a
 * separate run.
 */
async function readAllocated(): Promise<number> {
  if (profiler !== null) {
    const { profile } = await profiler.post("HeapProfiler.stopSampling");
    profiler.disconnect();
    profiler = null;
    return sumOf(profile.head);
  }
  profiler = new Session();
  profiler.connect();
  await profiler.post("HeapProfiler.startSampling", {
    samplingInterval: 65_536,
    // Without this option, garbage would not be counted.
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  return 0;
}

function sumOf({ selfSize, children }: SampledNode): number {
  return children.reduce((sum, child) => sum + sumOf(child), selfSize);
}

const settleStepMs = 200;
const settleStepsMax = 5;

/** Returns the memory in use. Collects garbage until the resident set changes by less than 1 %. */
async function settledMemory(): Promise<Memory> {
  let rss = Number.POSITIVE_INFINITY;
  for (let step = 0; step < settleStepsMax; step += 1) {
    // `gc` exists only with --expose-gc.
    global.gc?.();
    await delay(settleStepMs);
    const before = rss;
    rss = process.memoryUsage.rss();
    if (Math.abs(before - rss) < rss / 100) break;
  }
  const { heapUsed, external } = process.memoryUsage();
  return { rss, heapUsed, external };
}

/** Length of a clock tick, the unit of CPU times in /proc. */
const microsecondsPerTick = 10_000;

/** Returns the CPU time in microseconds of a process and all its children, including those that have ended. NaN without /proc. */
export async function readTreeCpu(pid: number): Promise<number> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const stats = (await Promise.all(pids.map(readStat))).filter((stat) => stat !== null);
  const root = stats.find((stat) => stat.pid === pid);
  if (!root) return Number.NaN;
  const children = stats.filter((stat) => stat.parent === pid);
  const ticks = children.reduce((sum, child) => sum + child.ticks, root.ticks + root.endedTicks);
  return ticks * microsecondsPerTick;
}

async function readStat(pid: string) {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (text === null) return null;
  // The second field is the program's name, which may contain any characters (proc(5)).
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [, parent = 0] = fields;
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
  return { pid: Number(pid), parent, ticks: user + system, endedTicks: endedUser + endedSystem };
}

/** Returns the resident set of another process, in bytes. NaN without /proc. */
export async function readRss(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}
