/** The broker's code that concerns jobs: types, and functions shared by runners and the broker. */

export type {
  AgentOptions,
  RunError,
  RunnableJob,
  Runner,
  RunnerFacts,
  RunResult,
} from "@merkle/broker";
export { type Attended, attendJob } from "@merkle/broker/runner";
