import { claimJob as claimJobRow, type JobClaim, type JobRow, returnJob } from "@merkle/db";
import type { Claim, OutputOf, ParsedInputOf } from "@merkle/wire";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import { createDoorbell } from "../../feed/doorbell.js";
import { makeJobToken } from "../../identity/tokens/token.js";
import type { Context } from "../../sessions/context.js";
import { toJob } from "./job-output.js";
import { toParameters } from "./job-parameters.js";
import { type RemoteRunner, requireRunner } from "./require-runner.js";
import type { JobServices } from "./services.js";

type Input = ParsedInputOf<"claim_job">;

/**
 * Gives a runner on another machine the job of its mesh that has waited longest, as soon as there is one (RUNNER-20). One
 * whose claim could not be handed out is queued again at once.
 *
 * @throws forbidden unless machines of members may run jobs
 */
export async function claimJob(ctx: Context<JobServices>, input: Input): Promise<OutputOf<"claim_job">> {
  const runner = requireRunner(ctx);
  const { services, signal } = ctx;
  const bell = createDoorbell({ timeoutMs: 1_000 * input.wait, signals: [signal, services.stopping] });
  const stopListening = services.jobs.onLook(bell.ring);
  try {
    for (;;) {
      const claim = await claimNext(ctx, input, runner);
      if (claim) return { claim };
      ctx.onBlocked();
      if ((await bell.answered()) === "expired") return { claim: null };
    }
  } finally {
    stopListening();
    bell.stop();
  }
}

/** The same request finds its own claim again, though its first answer was lost with a connection (IDEM-1). */
async function claimNext(ctx: Context<JobServices>, { runner: machine, kinds }: Input, runner: RemoteRunner) {
  const { services } = ctx;
  const { meshId } = services.database;
  const { leaseMs } = services.jobs.terms;
  return ctx
    .write(async ({ tx, afterCommit }): Promise<Claim> => {
      const { token, secretHash } = makeJobToken();
      const row = await claimJobRow(tx, {
        runner: runner.key,
        runnerName: runner.nameOf(machine),
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

/** Undoes the whole request, so that it is not stored as one that was answered. */
const nothingToClaim = new Error("There is no job to claim.");

async function toClaim({ services }: Context<JobServices>, row: JobRow, credential: string): Promise<Claim> {
  const { leaseMs, timeoutMs } = services.jobs.terms;
  return {
    job: await toJob(services, row),
    fence: row.fence,
    credential,
    parameters: await toParameters(services, row),
    timeout_ms: timeoutMs(row.kind),
    lease_ms: leaseMs,
  };
}

/** A runner that gave up, or went away, before it was told never begins. */
function returnUnlessWritten(
  ctx: Context<JobServices>,
  claim: JobClaim & { readonly sessionId: string | null },
): void {
  const { services, signal } = ctx;
  const giveBack = () => {
    // Where it is away for longer the lease ends the job, which is then shown as lost; it is never run twice.
    retryWhileLost(() => returnJob(services.database.orm, claim)).then(
      (isBack) => {
        if (!isBack) return;
        services.mesh.announce("jobs", claim.sessionId);
        services.jobs.look();
      },
      (error: unknown) => services.log.warn("a job could not be given back; its lease ends it", { error }),
    );
  };
  ctx.onWritten(() => signal.removeEventListener("abort", giveBack));
  signal.addEventListener("abort", giveBack, { once: true });
  if (signal.aborted) giveBack();
}
