import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Broker, createLog, lowerHelperThreads, startBroker } from "@merkle/broker";
import type { RateLimits } from "@merkle/wire";
import { answerParent } from "../child.js";
import { type Cpu, type Memory, readState } from "../process-state.js";

export type FloodedQuestion =
  | { readonly start: { readonly home: string; readonly rateLimits: Partial<RateLimits> } }
  | { readonly memory: "watch" | "read" }
  | { readonly work: "read" };

export interface FloodedMemory {
  /** The resident set once garbage has been collected. */
  readonly now: number;
  /** The largest since it was last watched. */
  readonly peak: number;
}

/** What the broker's process did since this was asked before. */
export interface Work {
  /** The share of one processor that it used. */
  readonly busy: number;
  /** How much later than it should the event loop came round, in milliseconds. */
  readonly lateP99: number;
}

const lookMs = 20;

/** The broker that is flooded, in a process of its own. */
lowerHelperThreads();
let broker: Broker | null = null;
let peak = 0;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, lookMs).unref();

const resolutionMs = 1;
const lateness = monitorEventLoopDelay({ resolution: resolutionMs });
lateness.enable();
let lookedAt = performance.now();
let workedBefore = 0;

answerParent(
  async (question: FloodedQuestion) => {
    if ("memory" in question) return readMemory(question.memory);
    if ("work" in question) return readWork();
    broker = await startBroker({ ...question.start, port: 0, auth: "open", log: createLog(tellTrouble) });
    return { port: broker.port };
  },
  async () => broker?.stop(),
);

async function readMemory(what: "watch" | "read"): Promise<FloodedMemory> {
  const before = peak;
  // Only a question about memory is answered with memory.
  const { rss } = (await readState({ state: "memory" })) as Memory;
  peak = what === "watch" ? rss : before;
  return { now: rss, peak: Math.max(peak, rss) };
}

async function readWork(): Promise<Work> {
  const { microseconds } = (await readState({ state: "cpu" })) as Cpu;
  const now = performance.now();
  const work = {
    busy: (microseconds - workedBefore) / 1_000 / (now - lookedAt),
    lateP99: lateness.percentile(99) / 1e6 - resolutionMs,
  };
  [lookedAt, workedBefore] = [now, microseconds];
  lateness.reset();
  return work;
}

/** What a flood makes the broker say is a finding, unless it is only told. */
function tellTrouble(line: string): void {
  if (!line.includes('"level":"info"')) console.error(line);
}
