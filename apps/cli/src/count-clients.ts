import { createBrokerClient } from "./broker/broker-client.js";
import { readClients } from "./broker/broker-facts.js";
import type { Reach } from "./broker/reach.js";

const answerWithinMs = 1_000;

/** How many waits and sockets will come back when the broker at `url` does. Stopping it matters more than the number. */
export async function countClients(url: string, reach: Reach): Promise<number> {
  const address = { base: url, source: "default" as const, reach };
  const broker = createBrokerClient(address, AbortSignal.timeout(answerWithinMs));
  const { waits, sockets } = await readClients(broker).catch(() => ({ waits: 0, sockets: 0 }));
  return waits + sockets;
}

/** What is told about a broker that was stopped. */
export function stoppedText(clients: number): string {
  if (clients === 0) return "stopped";
  return `stopped, ${clients} ${clients === 1 ? "peer" : "peers"} will reconnect`;
}
