import * as z from "zod";
import { limits } from "../../core/limits.js";
import {
  asTeam,
  isOneSource,
  oneSource,
  retryable,
  SessionRef,
  SourcePath,
  Timestamp,
  Uuid,
} from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { jobKinds } from "../../operations/operation-rules.js";
import { formatInlineName, joinLines } from "../../text/neutralise.js";
import { PersonaName } from "../personas/operations.js";
import { TopicId } from "../topics/operations.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

export const JobKind = z.enum(jobKinds).meta({
  description:
    "conclude drafts the conclusion, incorporate rewrites for a topic, perspective reads as a persona.",
});

export const JobStatus = z.enum(["queued", "running", "succeeded", "failed", "timed_out", "cancelled"]);
export type JobStatus = z.output<typeof JobStatus>;

export const JobId = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)
  .meta({ description: "The job's number in its mesh." });

export const Job = z
  .object({
    job_id: JobId,
    kind: JobKind,
    status: JobStatus,
    session_id: Uuid.nullable().meta({ description: "The session whose document is its source." }),
    session: z.string().nullable().meta({ description: "That session's slug." }),
    source_path: z.string().nullable().meta({ description: "The file that is its source." }),
    topic_id: TopicId.nullable(),
    persona_name: z.string().nullable(),
    started_by: z.string(),
    created_at: Timestamp,
    started_at: Timestamp.nullable().meta({ description: "When its agent was started." }),
    completed_at: Timestamp.nullable(),
    exit_code: z.int().nullable(),
    runner: z
      .string()
      .nullable()
      .meta({ description: "Machine that ran it and has its log, if not the broker's." }),
    error_tail: z
      .string()
      .nullable()
      .meta({ description: "The end of what its agent wrote to stderr, at most 4 KiB." }),
    message: z.string().nullable().meta({ description: "For a failed job: the error, for people." }),
    result: z
      .object({ kind: z.enum(["proposal", "perspective", "conclusion"]), id: z.int() })
      .nullable()
      .meta({ description: "What it made." }),
  })
  .meta({ id: "Job" });
export type Job = z.output<typeof Job>;

export const startJob = operation("start_job", {
  summary:
    "Run a headless agent on a session's document (or on a file with source_path): draft its conclusion, incorporate a topic, or review it as a persona. Its result is a proposal and never applied directly.",
  unlisted: ["source_path"],
  input: z
    .strictObject({
      kind: JobKind,
      session_id: SessionRef.optional(),
      source_path: SourcePath.optional(),
      topic_id: TopicId.optional().meta({ description: "Only for incorporate." }),
      persona_name: PersonaName.optional().meta({ description: "Only for perspective." }),
      again: z
        .boolean()
        .default(false)
        .meta({ description: "For perspective: run again even if nothing has changed." }),
      ...asTeam,
      ...retryable,
    })
    .refine(isOneSource, oneSource)
    .refine(({ kind, source_path }) => kind !== "conclude" || source_path === undefined, {
      error: "a file has no conclusion",
      path: ["source_path"],
    })
    .refine(({ kind, topic_id }) => (kind === "incorporate") === (topic_id !== undefined), {
      error: "is required for incorporate, and only there",
      path: ["topic_id"],
    })
    .refine(({ kind, persona_name }) => (kind === "perspective") === (persona_name !== undefined), {
      error: "is required for perspective, and only there",
      path: ["persona_name"],
    }),
  output: z.object({ job_id: JobId, status: JobStatus }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ job_id, status }) => `job ${job_id} ${status}; get_job shows its status`,
});

export const getJob = operation("get_job", {
  summary: "Read a job: its status, its result, or why it failed.",
  input: z.strictObject({ job_id: JobId, ...asTeam }),
  output: Job,
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: (job) => joinLines(compactJob(job), job.error_tail !== null && `error:\n  ${job.error_tail}`),
});

export const listJobs = operation("list_jobs", {
  unlisted: true,
  summary: "List the last jobs of a session, or of the mesh, newest first.",
  input: z.strictObject({
    session_id: SessionRef.optional().meta({ description: "Only those of this session." }),
    source_path: SourcePath.optional().meta({ description: "Only those of this file." }),
    limit: z.int().min(1).max(limits.jobsListedMax).default(limits.jobsListedDefault),
    ...asTeam,
  }),
  output: z.object({ jobs: z.array(Job) }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ jobs }) => joinLines(...jobs.map(compactJob), jobs.length === 0 && "no jobs"),
});

export const cancelJob = operation("cancel_job", {
  unlisted: true,
  summary: "Cancel a job that has not ended. Its agent is stopped and can write nothing more.",
  input: z.strictObject({ job_id: JobId, ...asTeam, ...retryable }),
  output: Job,
  errors: ["unauthorized", "forbidden", "not_found", "conflict"],
  compact: compactJob,
});

export function compactJob({
  job_id,
  kind,
  status,
  session,
  source_path,
  topic_id,
  persona_name,
  result,
  message,
}: Job): string {
  const what = [
    kind,
    topic_id !== null && `topic ${topic_id}`,
    persona_name !== null && `as ${formatInlineName(persona_name)}`,
    session !== null && `of ${session}`,
    source_path !== null && `of ${formatInlineName(source_path)}`,
  ];
  const outcome = result === null ? (message ?? "") : `${result.kind} ${result.id}`;
  return `job ${job_id} ${status}: ${what.filter(Boolean).join(" ")}${outcome && `. ${outcome}`}`;
}
