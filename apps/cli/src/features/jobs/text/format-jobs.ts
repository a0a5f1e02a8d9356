import type { Job, OutputOf } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import type { Output } from "../../../command/output.js";
import { indentText, toOneLine } from "../../../text/one-line.js";
import { toAge, toDuration } from "../../../text/time.js";

type JobStyle = Pick<Output, "bold" | "dim" | "alarm" | "dot">;

export function formatJobLine(job: Job, output: Pick<Output, "dot">): string {
  return [`job ${job.job_id}`, describeKind(job), formatStatus(job), formatRunTime(job)]
    .filter(Boolean)
    .join(` ${output.dot} `);
}

/** Describes a job in full, with the last part of its agent's output. */
export function formatJob(job: Job, output: JobStyle): string {
  const { job_id, started_by, error_tail } = job;
  const where = job.runner !== null && `on ${toOneLine(job.runner)}`;
  const facts = [
    `by ${toOneLine(started_by)}`,
    `${toAge(job.created_at)} ago`,
    formatRunTime(job),
    where,
  ].filter(Boolean);
  const outcome = describeOutcome(job);
  return [
    output.bold(`job ${job_id}: ${describeKind(job)}${formatSource(job) && ` of ${formatSource(job)}`}`),
    `${isFailed(job) ? output.alarm(formatStatus(job)) : formatStatus(job)}${outcome && `: ${outcome}`}`,
    output.dim(facts.join(` ${output.dot} `)),
    ...(error_tail ? ["", indentText(neutralise(error_tail))] : []),
  ].join("\n");
}

/** Returns the session or the file that the job is about. */
export function formatSource({ session, source_path }: Job): string {
  return session ?? toOneLine(source_path ?? "");
}

export function describeKind({ kind, topic_id, persona_name }: Job): string {
  if (topic_id !== null) return `${kind} topic ${topic_id}`;
  return persona_name === null ? kind : `${kind} as ${toOneLine(persona_name)}`;
}

export function formatStatus({ status }: Job): string {
  return status === "timed_out" ? "timed out" : status;
}

/** Returns the result of a job, or the reason why there is no result. */
export function describeOutcome({ message, result }: Job): string {
  return result === null ? (message ?? "") : `${result.kind} ${result.id}`;
}

/** Returns how long the job ran or, if it has not ended, how long it has been running or waiting. */
export function formatRunTime({ created_at, started_at, completed_at }: Job): string {
  const from = started_at ?? created_at;
  const to = completed_at === null ? Date.now() : Date.parse(completed_at);
  return toDuration(Math.max(0, to - Date.parse(from)) / 1_000);
}

export function isFailed({ status }: Job): boolean {
  return status === "failed" || status === "timed_out";
}

/** Prints a newly queued job, and suggests the command that follows its progress. */
export function showQueued(job: OutputOf<"start_job">, output: Output): void {
  output.show(job, `job ${job.job_id} ${job.status}`);
  output.note(`  follow: merkle jobs show ${job.job_id} -f`);
}
