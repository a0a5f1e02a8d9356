/** Entry point for runners on other machines. It does not load the broker. */

export { type Attended, attendJob } from "./attend-job.js";
export type { RunnableJob, Runner, RunResult } from "./runner.js";
