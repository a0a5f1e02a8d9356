import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context } from "../../sessions/context.js";
import { toJob } from "./job-output.js";
import { requireJob } from "./require-job.js";
import type { JobServices } from "./services.js";

/** Looks at a job; the agent of one looks at its own alone. */
export async function getJob(
  { services, principal }: Context<JobServices>,
  { job_id }: ParsedInputOf<"get_job">,
): Promise<OutputOf<"get_job">> {
  if (principal?.kind === "job" && principal.job !== job_id) throw notOwn(principal.job);
  const { orm, meshId } = services.database;
  return toJob(services, await requireJob(orm, meshId, job_id));
}

function notOwn(job_id: number): MerkleError {
  return new MerkleError("forbidden", `The agent of job ${job_id} may look at that job alone.`, { job_id });
}
