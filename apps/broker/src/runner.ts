/** The parts that a runner on another machine has in common with the broker's own, without the broker. */

export { lockHome as lockFolder } from "@merkle/db/embedded";
export { describeSummaries } from "./progress/describe-summaries.js";
export { type Attended, attendJob } from "./work/jobs/attend-job.js";
export type { RunnableJob, Runner, RunResult } from "./work/jobs/runner.js";
