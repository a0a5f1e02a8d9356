import { purgeJobOutput } from "@merkle/db";
import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { purgeOlderThan } from "../../views/housekeeping/purge.js";
import type { StartedSources } from "../sources/feature.js";
import { failedJobs } from "./attention.js";
import { claimJob, endJob, renewJob } from "./claim-job.js";
import { getJob, getRunner, listJobs } from "./read-jobs.js";
import { type Jobs, startJobs } from "./run-jobs.js";
import type { JobAgentOptions } from "./runner.js";
import type { JobServices } from "./services.js";
import { cancelJob, startJob } from "./start-job.js";

export { requireReturnedDraft } from "./job-parameters.js";
export { describeFailure } from "./outcome.js";
export { type JobSource, queueJob } from "./queue-job.js";
export type { JobAgentOptions, JobRunner, RunError, RunnableJob, RunnerFacts, RunResult } from "./runner.js";
export type { JobServices } from "./services.js";

export interface JobOptions {
  /** How this broker runs jobs. If not set, jobs wait for a runner on another machine. */
  readonly agent?: JobAgentOptions | undefined;
}

/** Runs jobs, each with a headless agent. */
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
  purge: { job_output: purgeOlderThan("job_output_days", purgeJobOutput) },
  async start(parts: StartParts<JobOptions>, { getSources }: StartedSources): Promise<{ jobs: Jobs }> {
    const { database, bus, tasks, meshChannels, metrics, log } = parts;
    const jobs = await startJobs({
      agent: parts.options.agent,
      database,
      bus,
      tasks,
      getSources,
      meshChannels,
      getBrokerUrl: parts.getListeningUrl,
      metrics,
      // In open mode, no members exist who could own a remote runner. If only this machine can connect, its
      // users may nevertheless run jobs.
      ...(parts.auth === "open" && { remoteRunners: !parts.isForOthers }),
      log,
    });
    parts.stops.add("jobs", jobs.stop);
    return { jobs };
  },
} satisfies Feature<JobServices & StartedSources & Services, JobOptions>;
