import { type Broker, startBroker } from "@merkle/broker";
import { answerParent } from "./child.js";

export type BrokerQuestion = { start: { home: string; databaseUrl: string } } | { cpu: true };

/** The broker, as `merkle up` runs it, in a process of its own. */
let broker: Broker | null = null;

answerParent(
  async (question: BrokerQuestion) => {
    if ("cpu" in question) {
      const { user, system } = process.cpuUsage();
      return { microseconds: user + system };
    }
    broker = await startBroker({ ...question.start, port: 0 });
    return { url: `http://127.0.0.1:${broker.port}`, socketUrl: `ws://127.0.0.1:${broker.port}/ws` };
  },
  async () => broker?.stop(),
);
