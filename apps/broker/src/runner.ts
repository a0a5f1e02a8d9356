/** The parts that a runner on another machine has in common with the broker's own, without the broker. */

export { lockHome as lockFolder } from "@merkle/db/embedded";
export type { RunnableJob, Runner, RunResult } from "./features/jobs/feature.runner.js";
export { type Attended, attendJob } from "./features/jobs/feature.runner.js";
export { describeSummaries } from "./features/progress/feature.runner.js";
