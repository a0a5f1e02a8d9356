/** The one place where the CLI meets the broker's own code: its types, what a runner shares with it, and the whole when it is needed. */

export type {
  AgentOptions,
  Broker,
  BrokerOptions,
  Log,
  RunError,
  RunnableJob,
  Runner,
  RunnerFacts,
  RunResult,
} from "@merkle/broker";
export { type Attended, attendJob, describeSummaries, lockFolder } from "@merkle/broker/runner";

/** All of the broker, which takes longer to load than most commands take in all. */
export const loadBroker = () => import("@merkle/broker");
