/** Exports the code that a runner on another machine shares with the broker, without loading the broker. */

export { lockHome as lockFolder } from "@merkle/db/embedded";
export type { RunnableJob, Runner, RunResult } from "./features/jobs/feature.runner.js";
export { type Attended, attendJob } from "./features/jobs/feature.runner.js";
export { describeSummaries } from "./features/progress/feature.runner.js";
