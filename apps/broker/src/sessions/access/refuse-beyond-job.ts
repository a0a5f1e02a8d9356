import { MerkleError, type Operation } from "@merkle/wire";
import type { JobPrincipal } from "../../identity/principal.js";
import type { SessionIdentity } from "../../identity/session-directory.js";

/**
 * Refuses everything to a job's agent except the operations for jobs of its kind, in the job's session
 * (JOB-12).
 *
 * @throws forbidden
 */
export function refuseBeyondJob(
  { name, forJobs }: Pick<Operation, "name" | "forJobs">,
  { job, jobKind, sessionId }: JobPrincipal,
  session: Pick<SessionIdentity, "sessionId"> | null,
): void {
  if (forJobs?.includes(jobKind) && (session === null || session.sessionId === sessionId)) return;
  throw new MerkleError(
    "forbidden",
    `The agent of job ${job} cannot do this: its credential covers only what a ${jobKind} job reads and writes.`,
    { job_id: job, operation: name },
  );
}
