/** The parts of the broker's own code that belong to jobs: their types, and what a runner shares with the broker. */

export type {
  AgentOptions,
  RunError,
  RunnableJob,
  Runner,
  RunnerFacts,
  RunResult,
} from "@merkle/broker";
export { type Attended, attendJob } from "@merkle/broker/runner";
