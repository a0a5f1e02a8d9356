import { monitorEventLoopDelay } from "node:perf_hooks";
import { createLog, type JobRunner, type StartedBroker, startBroker } from "@merkle/broker";
import { answerParent } from "./child.js";
import { readState, type StateQuestion } from "./process-state.js";

export type BrokerQuestion =
  | { readonly start: BrokerToStart }
  | { readonly loop: "watch" | "read" }
  | StateQuestion;

export interface BrokerToStart {
  readonly home: string;
  readonly databaseUrl: string;
  readonly heartbeatMs?: number | undefined;
  readonly bus: string;
  readonly auth?: "invite" | undefined;
  /** Folders with files that agents may work on, by name. External runners run the jobs. */
  readonly roots?: Readonly<Record<string, string>> | undefined;
}

export interface BrokerAddress {
  readonly url: string;
  readonly socketUrl: string;
  /** The invite for the first admin, if the broker admits only members. */
  readonly firstInvite: string | null;
}

/** The answer to `loop: "read"`: the longest time that the event loop was blocked since `loop: "watch"`. */
export interface LongestTurn {
  readonly ms: number;
}

/**
 * Interval of the timer that watches the event loop. While a turn blocks the loop, the timer fires late by the length
 * of the turn.
 */
const resolutionMs = 1;
const loop = monitorEventLoopDelay({ resolution: resolutionMs });

/** The broker in this process, which runs as it would under `merkle up`. */
let broker: StartedBroker | null = null;

answerParent(
  async (question: BrokerQuestion) => {
    if ("state" in question) return readState(question);
    if ("loop" in question) return watchLoop(question.loop);
    const { roots, ...start } = question.start;
    const files = roots && {
      agent: { roots, startRunner: runNothing, name: "bench", maxConcurrentJobs: 0 },
      ...({ auth: "open", insecureOpen: true } as const),
    };
    const options = { ...start, ...files, port: 0, rateLimits: "off", log: createLog(tellTrouble) } as const;
    broker = await startBroker(options);
    const { port, firstInvite } = broker;
    return { url: `http://127.0.0.1:${port}`, socketUrl: `ws://127.0.0.1:${port}/ws`, firstInvite };
  },
  async () => broker?.stop(),
);

async function runNothing(): Promise<JobRunner> {
  return {
    run: () => {
      throw new Error("No jobs are run here.");
    },
  };
}

/** Prints warnings and errors, because measurements of a broker in trouble are meaningless. */
function tellTrouble(line: string): void {
  if (!line.includes('"level":"info"')) console.error(line);
}

function watchLoop(what: "watch" | "read"): LongestTurn {
  if (what === "watch") {
    loop.enable();
    loop.reset();
    return { ms: 0 };
  }
  loop.disable();
  return { ms: Math.max(0, loop.max / 1e6 - resolutionMs) };
}
