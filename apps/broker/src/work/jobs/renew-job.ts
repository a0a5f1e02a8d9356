import { findJob, type JobRow, renewJob as renewJobRow } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { Context } from "../../sessions/context.js";
import { requireRunner } from "./require-runner.js";
import type { JobServices } from "./services.js";

/** So much longer than its agent may take a job can be held: to end that, and to say so. */
const endingMsMax = 60_000;

/** Renews the claim of a runner on another machine, unless its job has ended or should have long ago (RUNNER-21). */
export async function renewJob(
  ctx: Context<JobServices>,
  { job_id, fence }: ParsedInputOf<"renew_job">,
): Promise<OutputOf<"renew_job">> {
  const { key } = requireRunner(ctx);
  const { database, jobs } = ctx.services;
  const { leaseMs, timeoutMs } = jobs.terms;
  const claim = { meshId: database.meshId, number: job_id, fence, runner: key };
  const job = await findJob(database.orm, claim);
  if (!job || isOverdue(job, timeoutMs(job.kind))) return { holds: false };
  return { holds: await renewJobRow(database.orm, claim, leaseMs) };
}

function isOverdue({ startedAt }: Pick<JobRow, "startedAt">, timeoutMs: number): boolean {
  return startedAt !== null && Date.now() - startedAt.getTime() > timeoutMs + endingMsMax;
}
