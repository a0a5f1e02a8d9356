import { MerkleError } from "@merkle/wire";
import type { Asker } from "../../identity/principal.js";

/**
 * The agent of a job reads the file that its job is about, and no other (JOB-12).
 *
 * @throws forbidden
 */
export function refuseOtherSource(asker: Asker, source_path: string): void {
  if (asker?.kind !== "job" || asker.sourcePath === source_path) return;
  throw new MerkleError("forbidden", `The agent of job ${asker.job} reads what that job is about alone.`, {
    job_id: asker.job,
  });
}
