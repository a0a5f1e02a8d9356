/** Exports the code that a runner on another machine shares with the broker, without loading the broker. */

export { lockHome as lockFolder } from "@merkle/db/embedded";
export type { JobRunner, RunnableJob, RunResult } from "./features/jobs/feature.runner.js";
export { attendJob, type RunningJob } from "./features/jobs/feature.runner.js";
export { describeSummaries } from "./features/progress/feature.runner.js";
