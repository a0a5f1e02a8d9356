/** The broker's code that concerns jobs: types, and functions shared by runners and the broker. */

export type {
  JobAgentOptions,
  JobRunner,
  RunError,
  RunnableJob,
  RunnerFacts,
  RunResult,
} from "@merkle/broker";
export { attendJob, type RunningJob } from "@merkle/broker/runner";
