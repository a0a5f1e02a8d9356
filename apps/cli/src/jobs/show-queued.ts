import type { OutputOf } from "@merkle/wire";
import type { Output } from "../command/output.js";

/** Shows a job that was just started, and how to follow it. */
export function showQueued(job: OutputOf<"start_job">, output: Output): void {
  output.show(job, `job ${job.job_id} ${job.status}`);
  output.note(`  follow: merkle jobs show ${job.job_id} -f`);
}
