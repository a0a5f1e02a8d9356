import { MerkleError, type Operation } from "@merkle/wire";
import type { JobPrincipal } from "../../identity/principal.js";
import type { SessionIdentity } from "../../identity/session-directory.js";

/**
 * Refuses a call from a job's agent, unless the operation is for jobs of that kind and the call addresses no
 * session other than the job's (JOB-12).
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
