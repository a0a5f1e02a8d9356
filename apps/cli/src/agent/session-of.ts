import type { Job } from "@merkle/wire";
import { CliError, exitCodes } from "../core/cli-error.js";

/** The session that a job is about. @throws CliError `not_found` for a job about a file, which is in none */
export function sessionOf({ job_id, session_id }: Job): string {
  if (session_id !== null) return session_id;
  throw new CliError("not_found", `Job ${job_id} is about a file, and that is in no session.`, {
    exitCode: exitCodes.not_found,
  });
}
