import type { JobKind, ModelUsage, RunnerFacts } from "@merkle/wire";
import type { SourcesOptions } from "../sources/feature.js";

/** How a broker has jobs done. */
export interface AgentOptions extends Pick<SourcesOptions, "author" | "roots"> {
  /** Called once, when the home and the database are known to be this broker's alone, so that it can end what an earlier broker left. */
  startRunner(): Promise<Runner>;
  /** Identifies this runner in the database, also after a restart: jobs that it ran before have ended with it. */
  readonly name: string;
  /** The most jobs at once on this machine; 1 by default, 0 for none. */
  readonly maxConcurrentJobs?: number | undefined;
  /** How long an agent may take, in milliseconds; by default 3 minutes for a perspective and 5 for the others. */
  readonly timeoutsMs?: Partial<Record<JobKind, number>> | undefined;
  /** Lets members' own machines run jobs of their meshes, with agents that read what is there; false by default. */
  readonly remoteRunners?: boolean | undefined;
  /** How long a claim holds without being renewed, in milliseconds; 30,000 by default. */
  readonly leaseMs?: number | undefined;
}

export const timeoutsUsualMs: Readonly<Record<JobKind, number>> = {
  conclude: 300_000,
  incorporate: 300_000,
  perspective: 180_000,
};

export const leaseUsualMs = 30_000;

export type { RunnerFacts };

/**
 * Runs the agent of one job. The broker itself starts no processes: whoever starts the broker gives it a runner, which may be
 * another one in a test.
 */
export interface Runner {
  /**
   * Resolves when the agent has ended and nothing that it started is left, however that came about; never rejects. When
   * `signal` is aborted the agent is told to end, and soon made to.
   */
  run(signal: AbortSignal, job: RunnableJob): Promise<RunResult>;
  /** Finds out what the runner runs, and how. A runner that cannot say leaves it out. */
  describe?(): Promise<RunnerFacts>;
  /** Lets go of what it runs agents by, once no agent runs any more; left out by a runner that keeps nothing. */
  close?(): Promise<void>;
}

export interface RunnableJob {
  readonly job_id: number;
  readonly kind: JobKind;
  /** Names the job among those of all meshes, as a part of a file's name. */
  readonly label: string;
  /** The facts that the agent is told of the job, in this order. */
  readonly parameters: Readonly<Record<string, string>>;
  /** By which the agent does the job's writes, and nothing else (JOB-12). */
  readonly credential: string;
  readonly broker_url: string;
  /** After so long `signal` is aborted; for a runner that has a second clock, should this process hang. */
  readonly timeout_ms: number;
}

export interface RunResult {
  /** 128 and the signal's number where one ended it; null where it never ran. */
  readonly exit_code: number | null;
  /** The end of what it wrote to stderr, at most 4 KiB of it; where it wrote nothing there, of its output. */
  readonly error_tail: string;
  /** The reason that kept it from running or going on; null where it ended by itself, or because `signal` was aborted. */
  readonly error: RunError | null;
  /** The tokens that its models used, as it says; left out where it does not. */
  readonly usage?: readonly ModelUsage[] | undefined;
}

export interface RunError {
  /** It could not be started, or it had too many processes. */
  readonly reason: "unreachable" | "overgrown";
  readonly message: string;
}
