/** The parts of jobs that other features use. Separate from the entry file, which every page loads. */
export { CancelJob } from "./cancel-job";
export { describeJob, isInFlight } from "./describe-job";
export { JobMark } from "./job-mark";
export { JobTail } from "./job-tail";
export { JobTime } from "./job-time";
export { RunnerNote } from "./runner-note";
export { RunningJobs } from "./running-jobs";
export { SourceJobs } from "./source-jobs";
export { useJobs } from "./use-jobs";
export { useStartJob } from "./use-start-job";
