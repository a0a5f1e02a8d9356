import { setTimeout as delay } from "node:timers/promises";
import { type Claim, type InputOf, type Job, MerkleError, type OutputOf } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import {
  type Attended,
  attendJob,
  type RunnableJob,
  type Runner,
  type RunResult,
} from "../../../core/broker-code.js";
import { describeError } from "../../../core/describe-error.js";

export const jobKinds = ["conclude", "incorporate", "perspective"] as const;
type JobKind = (typeof jobKinds)[number];

/** For which jobs a runner asks, and how many at once. */
export interface RunnerTerms {
  /** The name that people have for this machine. */
  readonly name: string;
  readonly places: number;
  readonly kinds: readonly JobKind[] | undefined;
}

/** Says what a runner does. */
export interface RunnerReporter {
  started(base: string, terms: RunnerTerms): void;
  begun(job: Job): void;
  ended(job: Job): void;
  /** A job that it was given is its no more, or what became of it could not be said. */
  lost(job: Job, why: string): void;
  waiting(why: string): void;
}

interface Workplace extends RunnerTerms {
  readonly client: MerkleClient;
  readonly runner: Runner;
  /** Where agents find the broker. */
  readonly brokerUrl: string;
  readonly reporter: RunnerReporter;
  readonly signal: AbortSignal;
}

/** After an answer that came at once although there was nothing, or a refusal that may pass. */
const pauseMs = 1_000;
/** So long the end of an agent is tried to be stored; by then the lease has run out. */
const endingMsMax = 60_000;

type EndedBecause = InputOf<"end_job">["ended_because"];

/**
 * Claims jobs and does them until the signal is aborted, and resolves when no agent is left. A lost connection is waited
 * out: an agent goes on while its lease holds, and is ended before that runs out (RUNNER-23).
 *
 * @throws MerkleError when the broker lets this machine run no jobs
 */
export async function workAt(workplace: Workplace): Promise<void> {
  const { client, reporter, places } = workplace;
  const running = new Set<Attended>();
  const over = new AbortController();
  const signal = AbortSignal.any([workplace.signal, over.signal]);
  // A job that is cancelled is told of at once; the next renewal would find it later.
  const checkAll = () => {
    for (const each of running) each.check();
  };
  const watch = client.watchMesh({
    onChanged: ({ kind }) => kind === "jobs" && checkAll(),
    onRestored: checkAll,
    // Without it renewals still find out.
    onError: (error) => signal.aborted || reporter.waiting(error.message),
  });
  signal.addEventListener("abort", () => {
    for (const each of running) each.stop("stopping");
  });

  async function fillPlace(): Promise<void> {
    while (!signal.aborted) {
      const claim = await claimNext({ ...workplace, signal });
      if (claim) await attend(claim, workplace, { running, signal });
    }
  }

  const filled = Array.from({ length: places }, () =>
    fillPlace().catch((error: unknown) => {
      over.abort();
      throw error;
    }),
  );
  const outcomes = await Promise.allSettled(filled);
  watch.close();
  const failed = outcomes.find((each) => each.status === "rejected");
  if (failed && !workplace.signal.aborted) throw failed.reason;
}

/** The next job, or null when there was none in a while, or the broker could not say. */
async function claimNext({ client, name, kinds, reporter, signal }: Workplace): Promise<Claim | null> {
  const askedAt = performance.now();
  try {
    const { claim } = await client.call(
      "claim_job",
      { runner: name, ...(kinds && { kinds: [...kinds] }) },
      { signal, timeoutMs: Number.POSITIVE_INFINITY },
    );
    if (claim === null && performance.now() - askedAt < pauseMs) await pause(signal);
    return claim;
  } catch (error) {
    if (signal.aborted) return null;
    if (isFinal(error)) throw error;
    reporter.waiting(describeError(error));
    await pause(signal);
    return null;
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return delay(pauseMs, undefined, { signal }).catch(() => undefined);
}

/** Errors that no repetition helps against. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof MerkleError)) return true;
  const { code, details } = error;
  return code === "forbidden" || code === "unauthorized" || details["reason"] === "client_closed";
}

async function attend(
  claim: Claim,
  { client, runner, brokerUrl, reporter }: Workplace,
  { running, signal }: { readonly running: Set<Attended>; readonly signal: AbortSignal },
): Promise<void> {
  const { job, fence } = claim;
  const { job_id } = job;
  const renew = async () => {
    const within = { timeoutMs: claim.lease_ms / 3 };
    return (await client.call("renew_job", { job_id, fence }, within)).holds;
  };
  const askedAt = performance.now();
  // The answer may be an old one: that a lost connection kept back. Nothing begins before the claim is known to hold.
  const holds = await renew().catch(() => false);
  if (!holds) return reporter.lost(job, "it was assigned to another runner, so it was not started");
  reporter.begun(job);
  const attended = attendJob({
    runner,
    timeoutMs: claim.timeout_ms,
    lease: { ms: claim.lease_ms, until: askedAt + claim.lease_ms, renew },
    describe: async () => toRunnable(claim, brokerUrl),
    async end(result, because) {
      const { job: ended } = await storeEnd(client, { job_id, fence }, result, because);
      reporter.ended(ended);
    },
  });
  running.add(attended);
  if (signal.aborted) attended.stop("stopping");
  try {
    await attended.ended;
  } catch (error) {
    const why = describeError(error);
    reporter.lost(job, `could not report its result: ${why}`);
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

/** The broker may refuse what an agent wrote, a credential above all; then its end is told without. */
async function storeEnd(
  client: MerkleClient,
  claim: { readonly job_id: Job["job_id"]; readonly fence: number },
  { exit_code, error_tail, error, usage }: RunResult,
  ended_because: EndedBecause,
): Promise<OutputOf<"end_job">> {
  const end = (tail: string) =>
    client.call(
      "end_job",
      { ...claim, exit_code, error_tail: tail, error, ended_because, ...(usage && { usage: [...usage] }) },
      { timeoutMs: endingMsMax },
    );
  try {
    return await end(error_tail);
  } catch (refusal) {
    if (!(refusal instanceof MerkleError) || refusal.code !== "bad_request" || error_tail === "")
      throw refusal;
    return end("(its output cannot be shown)");
  }
}
