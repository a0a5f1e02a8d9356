import { inject, onTestFinished } from "vitest";
import { type BrokerProcess, startBrokerProcess } from "./broker-process.js";
import type { BrokerStorage } from "./places.js";

/** The broker of a campaign: one process or, in multi-node tests, three processes behind a round-robin nginx. */
export interface CampaignBroker {
  readonly url: string;
  readonly processes: readonly [BrokerProcess, ...BrokerProcess[]];
  /** The last lines that each process logged. */
  logged(): readonly string[];
  /** Sends SIGKILL to all running processes. */
  kill(): Promise<void>;
  /** Restarts all processes in parallel. */
  start(): Promise<void>;
  /** Sends SIGTERM to all processes. @throws if one exits with an error */
  stop(): Promise<void>;
}

/** Starts one broker or three nodes. @param onDeath - called if a process exits unexpectedly */
export async function startCampaignBroker(
  place: BrokerStorage,
  onDeath: (how: string) => void,
): Promise<CampaignBroker> {
  if (inject("bus") === undefined) {
    const alone = await startBrokerProcess(place, onDeath);
    return toCampaignBroker(alone.url, [alone]);
  }
  if (place.databaseUrl === undefined) throw new TypeError("Nodes need a database that is none of theirs.");
  const { behindProxy, startProxy, startTestBus } = await import("../nodes/kit/start-behind-proxy.js");
  const { startNodes } = await import("../nodes/start-nodes.js");
  const { nodes } = await startNodes(
    3,
    {
      bus: await startTestBus(onTestFinished),
      databaseUrl: place.databaseUrl,
      options: { ...behindProxy, auth: "open" },
      onDeath,
    },
    onTestFinished,
  );
  const [port] = await startProxy(
    nodes.map(({ url }) => Number(new URL(url).port)),
    onTestFinished,
  );
  const [first, ...others] = nodes;
  if (!first) throw new TypeError("Three were started.");
  return toCampaignBroker(`http://127.0.0.1:${port}`, [first, ...others]);
}

function toCampaignBroker(url: string, processes: CampaignBroker["processes"]): CampaignBroker {
  const forAll = async (work: (each: BrokerProcess) => Promise<void>) => {
    await Promise.all(processes.map(work));
  };
  return {
    url,
    processes,
    logged: () => processes.flatMap(({ logged }) => logged.slice(-40)),
    kill: () => forAll((each) => each.kill()),
    start: () => forAll((each) => each.start()),
    stop: () => forAll((each) => each.stop()),
  };
}
