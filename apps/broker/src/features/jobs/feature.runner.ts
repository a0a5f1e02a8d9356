/** Entry point for runners on other machines. It does not load the broker. */

export { attendJob, type RunningJob } from "./attend-job.js";
export type { JobRunner, RunnableJob, RunResult } from "./runner.js";
