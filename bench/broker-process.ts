import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Broker, createLog, startBroker } from "@merkle/broker";
import { answerParent } from "./child.js";
import { readState, type StateQuestion } from "./process-state.js";

export type BrokerQuestion =
  | { readonly start: { home: string; databaseUrl: string; heartbeatMs: number | undefined; bus: string } }
  | { readonly loop: "watch" | "read" }
  | StateQuestion;

export interface BrokerAddress {
  readonly url: string;
  readonly socketUrl: string;
}

/** The answer to `loop: "read"`: the longest that the event loop was held since it was last watched. */
export interface LongestTurn {
  readonly ms: number;
}

/** The timer that watches the loop fires this often, and is late by as long as a turn lasts. */
const resolutionMs = 1;
const loop = monitorEventLoopDelay({ resolution: resolutionMs });

/** The broker, as `merkle up` runs it, in a process of its own. */
let broker: Broker | null = null;

answerParent(
  async (question: BrokerQuestion) => {
    if ("state" in question) return readState(question);
    if ("loop" in question) return watchLoop(question.loop);
    broker = await startBroker({ ...question.start, port: 0, log: createLog(tellTrouble) });
    return { url: `http://127.0.0.1:${broker.port}`, socketUrl: `ws://127.0.0.1:${broker.port}/ws` };
  },
  async () => broker?.stop(),
);

/** A broker that is in trouble measures nothing: whoever reads the figures should know. */
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
