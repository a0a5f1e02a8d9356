import type { Job, OutputOf } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import type { Output } from "../../../command/output.js";
import { indented, oneLine } from "../../../text/one-line.js";
import { formatTable } from "../../../text/table.js";
import { toAge, toDuration } from "../../../text/time.js";

type JobStyle = Pick<Output, "columns" | "signs" | "bold" | "dim" | "alarm" | "dot">;

/** Returns one line per job: number, source, kind, status, duration and result. */
export function formatJobs(jobs: readonly Job[], output: JobStyle): string {
  const rows = jobs.map((job) => [
    { text: String(job.job_id), paint: output.bold },
    { text: sourceOf(job) },
    { text: whatOf(job) },
    { text: stateOf(job), ...(isFailed(job) && { paint: output.alarm }) },
    { text: timeOf(job), paint: output.dim },
    { text: outcomeOf(job) },
  ]);
  return formatTable(rows, { columns: output.columns, flexible: [1, 5], more: output.signs.more });
}

export function formatJobLine(job: Job, output: Pick<Output, "dot">): string {
  return [`job ${job.job_id}`, whatOf(job), stateOf(job), timeOf(job)]
    .filter(Boolean)
    .join(` ${output.dot} `);
}

/** Describes a job in full, with the last part of its agent's output. */
export function formatJob(job: Job, output: JobStyle): string {
  const { job_id, started_by, error_tail } = job;
  const where = job.runner !== null && `on ${oneLine(job.runner)}`;
  const facts = [`by ${oneLine(started_by)}`, `${toAge(job.created_at)} ago`, timeOf(job), where].filter(
    Boolean,
  );
  const outcome = outcomeOf(job);
  return [
    output.bold(`job ${job_id}: ${whatOf(job)}${sourceOf(job) && ` of ${sourceOf(job)}`}`),
    `${isFailed(job) ? output.alarm(stateOf(job)) : stateOf(job)}${outcome && `: ${outcome}`}`,
    output.dim(facts.join(` ${output.dot} `)),
    ...(error_tail ? ["", indented(neutralise(error_tail))] : []),
  ].join("\n");
}

/** Returns the session or the file that the job is about. */
function sourceOf({ session, source_path }: Job): string {
  return session ?? oneLine(source_path ?? "");
}

function whatOf({ kind, topic_id, persona_name }: Job): string {
  if (topic_id !== null) return `${kind} topic ${topic_id}`;
  return persona_name === null ? kind : `${kind} as ${oneLine(persona_name)}`;
}

function stateOf({ status }: Job): string {
  return status === "timed_out" ? "timed out" : status;
}

/** Returns the result of a job, or the reason why there is no result. */
export function outcomeOf({ message, result }: Job): string {
  return result === null ? (message ?? "") : `${result.kind} ${result.id}`;
}

/** Returns how long the job ran or, if it has not ended, how long it has been running or waiting. */
function timeOf({ created_at, started_at, completed_at }: Job): string {
  const from = started_at ?? created_at;
  const to = completed_at === null ? Date.now() : Date.parse(completed_at);
  return toDuration(Math.max(0, to - Date.parse(from)) / 1_000);
}

function isFailed({ status }: Job): boolean {
  return status === "failed" || status === "timed_out";
}

/** Prints a newly queued job, and suggests the command that follows its progress. */
export function showQueued(job: OutputOf<"start_job">, output: Output): void {
  output.show(job, `job ${job.job_id} ${job.status}`);
  output.note(`  follow: merkle jobs show ${job.job_id} -f`);
}
