import type { JobKind, ModelUsage, RunnerFacts } from "@merkle/wire";
import type { SourcesOptions } from "../sources/feature.js";

/** Options for running jobs on a broker. */
export interface JobAgentOptions extends Pick<SourcesOptions, "author" | "roots"> {
  /**
   * Called once, after the broker has exclusive use of its home and database. The function can therefore stop
   * processes that an earlier broker left behind.
   */
  startRunner(): Promise<JobRunner>;
  /**
   * Identifies this runner in the database across restarts. After a restart, the jobs that this runner left
   * running are marked as failed.
   */
  readonly name: string;
  /** Maximum number of concurrent jobs on this machine. Default: 1. With 0, the broker runs no jobs. */
  readonly maxConcurrentJobs?: number | undefined;
  /**
   * Time limits for agents, in milliseconds, by kind of job. Default: 3 minutes for a perspective, 5 minutes
   * for other jobs.
   */
  readonly timeoutsMs?: Partial<Record<JobKind, number>> | undefined;
  /** Allows members' own machines to run jobs of their meshes. Default: false. */
  readonly remoteRunners?: boolean | undefined;
  /** How long a claim is valid without renewal, in milliseconds. Default: 30,000. */
  readonly leaseMs?: number | undefined;
}

export const timeoutsMsDefault: Readonly<Record<JobKind, number>> = {
  conclude: 300_000,
  incorporate: 300_000,
  perspective: 180_000,
};

export const leaseMsDefault = 30_000;

export type { RunnerFacts };

/**
 * Runs the agent of one job. The broker itself starts no processes: the code that starts the broker passes in
 * a runner, and tests can pass a fake one.
 */
export interface JobRunner {
  /**
   * Resolves when the agent and every process that it started have ended, for any reason. Never rejects.
   * Aborting `signal` asks the agent to exit, and soon after kills it.
   */
  run(signal: AbortSignal, job: RunnableJob): Promise<RunResult>;
  /** Describes the program that runs agents, and how it runs them. Optional. */
  describe?(): Promise<RunnerFacts>;
  /** Releases the runner's resources once no agent is running. Optional. */
  close?(): Promise<void>;
}

export interface RunnableJob {
  readonly job_id: number;
  readonly kind: JobKind;
  /** A name that identifies the job across all meshes. Used in file names. */
  readonly label: string;
  /** Facts about the job, passed to the agent in this order. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Authorises the agent to do this job, and nothing else (JOB-12). */
  readonly credential: string;
  readonly broker_url: string;
  /**
   * `signal` is aborted after this time. A runner can set a second timer for the same time, in case this
   * process hangs.
   */
  readonly timeout_ms: number;
}

export interface RunResult {
  /** Exit code of the agent: 128 plus the signal number if a signal ended it. Null if the agent never ran. */
  readonly exit_code: number | null;
  /** The end of the agent's stderr, or of its stdout if stderr is empty. At most 4 KiB. */
  readonly error_tail: string;
  /**
   * Why the agent could not run or continue. Null if the agent exited by itself or because `signal` was
   * aborted.
   */
  readonly error: RunError | null;
  /** Token usage that the agent reports, by model. Absent if the agent reports none. */
  readonly usage?: readonly ModelUsage[] | undefined;
}

export interface RunError {
  /** `unreachable`: the agent could not be started. `overgrown`: the agent had too many processes. */
  readonly reason: "unreachable" | "overgrown";
  readonly message: string;
}
