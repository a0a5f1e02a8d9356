/** What a runner on another machine needs, without the broker. */

export { type Attended, attendJob } from "./attend-job.js";
export type { RunnableJob, Runner, RunResult } from "./runner.js";
