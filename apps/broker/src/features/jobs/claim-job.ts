import {
  claimJob as claimJobRow,
  endJob as endJobRow,
  findJob,
  type JobClaim,
  type JobRow,
  renewJob as renewJobRow,
  returnJob,
} from "@merkle/db";
import { type Claim, MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import { makeJobToken } from "../../identity/tokens/token.js";
import type { Context } from "../../sessions/context.js";
import { addJobUsage } from "../usage/feature.js";
import { readParameters } from "./job-parameters.js";
import { describeNothingMade, stoppedText, toOutcome } from "./outcome.js";
import { requireJob, toJob } from "./read-jobs.js";
import type { JobServices } from "./services.js";

type ClaimJobInput = ParsedInputOf<"claim_job">;

/**
 * Claims the longest-waiting job of the mesh for a runner on another machine. If the queue is empty, waits
 * for a job (RUNNER-20). If the claim cannot be delivered, its job is queued again immediately.
 *
 * @throws forbidden if the broker does not allow remote runners
 */
export async function claimJob(
  ctx: Context<JobServices>,
  input: ClaimJobInput,
): Promise<OutputOf<"claim_job">> {
  const runner = requireRunner(ctx);
  const { services, signal } = ctx;
  const wake = services.waitSignals.open({ timeoutMs: 1_000 * input.wait, signal });
  const stopListening = services.jobs.onWake(wake.ring);
  try {
    for (;;) {
      const claim = await claimNext(ctx, input, runner);
      if (claim) return { claim };
      ctx.notifyBlocked();
      if ((await wake.wait()) === "expired") return { claim: null };
    }
  } finally {
    stopListening();
    wake.stop();
  }
}

/**
 * Claims the next job, if there is one. A retry of the same request returns the same claim, even if the first
 * reply was lost (IDEM-1).
 */
async function claimNext(
  ctx: Context<JobServices>,
  { runner: machine, kinds }: ClaimJobInput,
  runner: RemoteRunner,
) {
  const { services } = ctx;
  const { meshId } = services.database;
  const { leaseMs } = services.jobs.terms;
  return ctx
    .write(async ({ tx, afterCommit }): Promise<Claim> => {
      const { token, secretHash } = makeJobToken();
      const row = await claimJobRow(tx, {
        runner: runner.key,
        runnerName: runner.formatName(machine),
        leaseMs,
        secretHash,
        meshId,
        ...(kinds && { kinds }),
      });
      if (!row) throw nothingToClaim;
      afterCommit(() => {
        services.mesh.announce("jobs", row.sessionId);
        services.log.info("job claimed", { mesh: meshId, job_id: row.number, runner: row.runnerName });
        returnUnlessWritten(ctx, row);
      });
      return toClaim(ctx, row, token);
    })
    .catch((error: unknown) => {
      if (error === nothingToClaim) return null;
      throw error;
    });
}

/** Thrown to roll back the request, so that no empty result is stored under its idempotency key. */
const nothingToClaim = new Error("There is no job to claim.");

async function toClaim({ services }: Context<JobServices>, row: JobRow, credential: string): Promise<Claim> {
  const { leaseMs, getTimeoutMs } = services.jobs.terms;
  return {
    job: await toJob(services, row),
    fence: row.fence,
    credential,
    parameters: await readParameters(services, row),
    timeout_ms: getTimeoutMs(row.kind),
    lease_ms: leaseMs,
  };
}

/**
 * Queues the job again if the runner disconnects before it receives the claim. The job cannot have started on
 * that runner.
 */
function returnUnlessWritten(
  ctx: Context<JobServices>,
  claim: JobClaim & { readonly sessionId: string | null },
): void {
  const { services, signal } = ctx;
  const giveBack = () => {
    // If the database stays unreachable, the lease expires and the job is reported as lost. A job never runs
    // twice.
    retryWhileLost(() => returnJob(services.database.orm, claim)).then(
      (isReturned) => {
        if (!isReturned) return;
        services.mesh.announce("jobs", claim.sessionId);
        services.jobs.wake();
      },
      (error: unknown) => services.log.warn("a job could not be given back; its lease ends it", { error }),
    );
  };
  ctx.onWritten(() => signal.removeEventListener("abort", giveBack));
  signal.addEventListener("abort", giveBack, { once: true });
  if (signal.aborted) giveBack();
}

/**
 * Additional time after the agent's time limit, during which the runner stops the agent and reports the result.
 */
const endingMsMax = 60_000;

/** Renews another machine's claim on a job, unless the job has ended or is overdue (RUNNER-21). */
export async function renewJob(
  ctx: Context<JobServices>,
  { job_id, fence }: ParsedInputOf<"renew_job">,
): Promise<OutputOf<"renew_job">> {
  const { key } = requireRunner(ctx);
  const { database, jobs } = ctx.services;
  const { leaseMs, getTimeoutMs } = jobs.terms;
  const claim = { meshId: database.meshId, number: job_id, fence, runner: key };
  const job = await findJob(database.orm, claim);
  if (!job || isOverdue(job, getTimeoutMs(job.kind))) return { holds: false };
  return { holds: await renewJobRow(database.orm, claim, leaseMs) };
}

function isOverdue({ startedAt }: Pick<JobRow, "startedAt">, timeoutMs: number): boolean {
  return startedAt !== null && Date.now() - startedAt.getTime() > timeoutMs + endingMsMax;
}

/** Stores the result of a job that ran on another machine, unless the job has already ended (RUNNER-21). */
export async function endJob(
  ctx: Context<JobServices>,
  { job_id, fence, ended_because, usage, ...result }: ParsedInputOf<"end_job">,
): Promise<OutputOf<"end_job">> {
  const { key } = requireRunner(ctx);
  const { services } = ctx;
  const { meshId, orm } = services.database;
  const { kind } = await requireJob(orm, meshId, job_id);
  const outcome = toOutcome(result, ended_because, { failure: "stopped", errorTail: stoppedText });
  return ctx.write(async ({ tx, afterCommit }) => {
    const row = await endJobRow(
      tx,
      { meshId, number: job_id, fence, runner: key },
      outcome,
      describeNothingMade(kind),
    );
    if (!row) return { ended: false, job: await toJob(services, await requireJob(tx, meshId, job_id)) };
    await addJobUsage(tx, services.metrics, { sessionId: row.sessionId, usage });
    afterCommit(() => {
      const { status, exitCode, runnerName } = row;
      const level = status === "succeeded" ? "info" : "warn";
      services.log[level]("job ended", {
        mesh: meshId,
        job_id,
        runner: runnerName,
        exit_code: exitCode,
        status,
      });
      services.mesh.announce("jobs", row.sessionId);
      services.mesh.announce("attention", row.sessionId);
      services.jobs.wake();
    });
    return { ended: true, job: await toJob(services, row) };
  });
}

/** The owner of remote runners: machines that may run jobs for this broker. */
interface RemoteRunner {
  /** A key shared only by one member's machines. Never equals the name of a broker's own runner. */
  readonly key: string;
  /** Returns the display name of one of the owner's machines. */
  formatName(machine: string): string;
}

/**
 * Returns the caller as the owner of remote runners (RUNNER-20).
 *
 * @throws forbidden if the broker does not allow remote runners
 */
function requireRunner({
  services,
  principal,
}: Pick<Context<JobServices>, "services" | "principal">): RemoteRunner {
  if (principal?.kind === "member" && services.jobs.terms.remoteRunners) {
    const { memberId, name } = principal;
    return { key: `member ${memberId}`, formatName: (machine) => `${machine} of ${name}` };
  }
  if (principal?.kind === "anyone" && services.jobs.terms.remoteRunners) {
    return { key: "anyone", formatName: (machine) => machine };
  }
  throw new MerkleError(
    "forbidden",
    principal?.kind === "member"
      ? "This broker runs jobs only on its own machine. Its admin can allow others with agent.remote_runners in its config.json."
      : "Jobs run on machines of members, but this broker is open. Restart it with merkle up --auth invite, or only on loopback.",
  );
}
