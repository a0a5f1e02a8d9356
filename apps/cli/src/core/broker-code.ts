/**
 * The only module of the CLI that imports the broker's code: its types, the code shared with runners, and on
 * demand the whole broker.
 */

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

/** Loads the whole broker, which takes longer than most commands run. */
export const loadBroker = () => import("@merkle/broker");
