import { purgeJobOutput } from "@merkle/db";
import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { kept } from "../../views/housekeeping/purge.js";
import { failedJobs } from "./attention.js";
import { claimJob, endJob, renewJob } from "./claim-job.js";
import { getJob, getRunner, listJobs } from "./read-jobs.js";
import type { JobServices } from "./services.js";
import { cancelJob, startJob } from "./start-job.js";

export { requireReturnedDraft } from "./job-parameters.js";
export { describeFailure } from "./outcome.js";
export { type JobSource, queueJob } from "./queue-job.js";
export { type Jobs, startJobs } from "./run-jobs.js";
export type { AgentOptions, RunError, RunnableJob, Runner, RunnerFacts, RunResult } from "./runner.js";
export type { JobServices } from "./services.js";

/** Runs of headless agents. */
export const jobsFeature = {
  name: "jobs",
  needs: ["personas", "perspectives", "sources", "topics", "usage"],
  handlers: {
    start_job: startJob,
    get_job: getJob,
    list_jobs: listJobs,
    cancel_job: cancelJob,
    get_runner: getRunner,
    claim_job: claimJob,
    renew_job: renewJob,
    end_job: endJob,
  },
  attention: failedJobs,
  purge: { job_output: kept("job_output_days", purgeJobOutput) },
} satisfies Feature<JobServices & Services>;
