import type { Job } from "@merkle/wire";
import { CliError, exitCodes } from "../core/cli-error.js";

/** The file that a job is about. @throws CliError `not_found` for a job about a session's document */
export function sourceOf({ job_id, source_path }: Job): string {
  if (source_path !== null) return source_path;
  throw new CliError("not_found", `Job ${job_id} is about a session's document, and no file.`, {
    exitCode: exitCodes.not_found,
  });
}
