import { setTimeout as delay } from "node:timers/promises";
import {
  type Claim,
  type Job,
  type JobKind,
  type JobStopReason,
  MerkleError,
  type OutputOf,
} from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { describeError } from "../../../core/describe-error.js";
import {
  attendJob,
  type JobRunner,
  type RunnableJob,
  type RunningJob,
  type RunResult,
} from "./broker-code.js";

/** The kinds of jobs that a runner claims, and how many it runs at the same time. */
export interface RunnerTerms {
  /** The name of this machine, shown to people. */
  readonly name: string;
  readonly concurrency: number;
  readonly kinds: readonly JobKind[] | undefined;
}

/** Receives the events of a runner. */
export interface RunnerReporter {
  onStarted(base: string, terms: RunnerTerms): void;
  onJobBegun(job: Job): void;
  onJobEnded(job: Job): void;
  /** Called for a job that this runner has lost, or whose result could not be reported. */
  onJobLost(job: Job, why: string): void;
  onWaiting(why: string): void;
}

interface WorkerOptions extends RunnerTerms {
  readonly client: MerkleClient;
  readonly runner: JobRunner;
  /** The broker's URL that agents use. */
  readonly brokerUrl: string;
  readonly reporter: RunnerReporter;
  readonly signal: AbortSignal;
}

/** How long to pause before retrying after a premature empty reply or a temporary refusal. */
const pauseMs = 1_000;
/** How long the runner tries to report that an agent has ended. By then the job's lease has expired. */
const endReportTimeoutMs = 60_000;

/**
 * Claims and runs jobs until the signal is aborted. Resolves when no agent is left. After a lost connection,
 * an agent continues while its job's lease is valid, and is stopped before the lease expires (RUNNER-23).
 *
 * @throws MerkleError if the broker does not allow this machine to run jobs
 */
export async function runJobs(worker: WorkerOptions): Promise<void> {
  const { client, reporter, concurrency } = worker;
  const running = new Set<RunningJob>();
  const failure = new AbortController();
  const signal = AbortSignal.any([worker.signal, failure.signal]);
  // The broker announces cancelled jobs immediately. Without this check, a cancellation would be noticed only
  // at the next renewal.
  const checkAll = () => {
    for (const each of running) each.check();
  };
  const watch = client.watchMesh({
    onChanged: ({ kind }) => kind === "jobs" && checkAll(),
    onRestored: checkAll,
    // If watching fails, cancelled jobs are still noticed at the next renewal.
    onError: (error) => signal.aborted || reporter.onWaiting(error.message),
  });
  signal.addEventListener("abort", () => {
    for (const each of running) each.stop("stopping");
  });

  async function runSlot(): Promise<void> {
    while (!signal.aborted) {
      const claim = await claimNext({ ...worker, signal });
      if (claim) await attend(claim, worker, { running, signal });
    }
  }

  const slots = Array.from({ length: concurrency }, () =>
    runSlot().catch((error: unknown) => {
      failure.abort();
      throw error;
    }),
  );
  const outcomes = await Promise.allSettled(slots);
  watch.close();
  const failed = outcomes.find((each) => each.status === "rejected");
  if (failed && !worker.signal.aborted) throw failed.reason;
}

/** Returns the next job, or null if no job became available in time or the request failed. */
async function claimNext({ client, name, kinds, reporter, signal }: WorkerOptions): Promise<Claim | null> {
  const requestedAt = performance.now();
  try {
    const { claim } = await client.call(
      "claim_job",
      { runner: name, ...(kinds && { kinds: [...kinds] }) },
      { signal, timeoutMs: Number.POSITIVE_INFINITY },
    );
    if (claim === null && performance.now() - requestedAt < pauseMs) await pause(signal);
    return claim;
  } catch (error) {
    if (signal.aborted) return null;
    if (isFinal(error)) throw error;
    reporter.onWaiting(describeError(error));
    await pause(signal);
    return null;
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return delay(pauseMs, undefined, { signal }).catch(() => undefined);
}

/** Returns whether an error is permanent, so that retrying cannot help. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof MerkleError)) return true;
  const { code, details } = error;
  return code === "forbidden" || code === "unauthorized" || details["reason"] === "client_closed";
}

async function attend(
  claim: Claim,
  { client, runner, brokerUrl, reporter }: WorkerOptions,
  { running, signal }: { readonly running: Set<RunningJob>; readonly signal: AbortSignal },
): Promise<void> {
  const { job, fence } = claim;
  const { job_id } = job;
  const renew = async () => {
    const within = { timeoutMs: claim.lease_ms / 3 };
    return (await client.call("renew_job", { job_id, fence }, within)).holds;
  };
  const requestedAt = performance.now();
  // After a lost connection the claim may be outdated. The agent starts only once the claim is known to be
  // valid.
  const holds = await renew().catch(() => false);
  if (!holds) return reporter.onJobLost(job, "it was assigned to another runner, so it was not started");
  reporter.onJobBegun(job);
  const attended = attendJob({
    runner,
    timeoutMs: claim.timeout_ms,
    lease: { ms: claim.lease_ms, until: requestedAt + claim.lease_ms, renew },
    describe: async () => toRunnable(claim, brokerUrl),
    async end(result, because) {
      const { job: ended } = await storeEnd(client, { job_id, fence }, result, because);
      reporter.onJobEnded(ended);
    },
  });
  running.add(attended);
  if (signal.aborted) attended.stop("stopping");
  try {
    await attended.ended;
  } catch (error) {
    const why = describeError(error);
    reporter.onJobLost(job, `could not report its result: ${why}`);
  } finally {
    running.delete(attended);
  }
}

function toRunnable(claim: Claim, brokerUrl: string): RunnableJob {
  const { job_id, kind } = claim.job;
  return {
    job_id,
    kind,
    label: String(job_id),
    parameters: claim.parameters,
    credential: claim.credential,
    broker_url: brokerUrl,
    timeout_ms: claim.timeout_ms,
  };
}

/**
 * Reports an agent's result to the broker. If the broker refuses the output, for example because it contains
 * a credential, reports the result without the output.
 */
async function storeEnd(
  client: MerkleClient,
  claim: { readonly job_id: Job["job_id"]; readonly fence: number },
  { exit_code, error_tail, error, usage }: RunResult,
  ended_because: JobStopReason | null,
): Promise<OutputOf<"end_job">> {
  const end = (tail: string) =>
    client.call(
      "end_job",
      { ...claim, exit_code, error_tail: tail, error, ended_because, ...(usage && { usage: [...usage] }) },
      { timeoutMs: endReportTimeoutMs },
    );
  try {
    return await end(error_tail);
  } catch (refusal) {
    if (!(refusal instanceof MerkleError) || refusal.code !== "bad_request" || error_tail === "")
      throw refusal;
    return end("(its output cannot be shown)");
  }
}
