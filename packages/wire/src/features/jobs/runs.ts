import * as z from "zod";
import { limits } from "../../core/limits.js";
import { lineOfChars, retryable, StorableText, textOfBytes } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { joinLines } from "../../text/neutralise.js";
import { ModelUsage } from "../usage/operations.js";
import { compactJob, Job, JobId, JobKind } from "./jobs.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

/**
 * A runner on another machine claims a job, renews the claim while the agent works, and reports the outcome.
 * The fence is the claim's number.
 */

const Fence = z.int().min(1).meta({ description: "Claim number; later claims have higher numbers." });

export const Claim = z
  .object({
    job: Job,
    fence: Fence,
    credential: z.string().meta({ description: "Credential of the job's agent; valid only for its result." }),
    parameters: z
      .record(z.string(), z.string())
      .meta({ description: "Facts for the agent about its job, in this order." }),
    timeout_ms: z.int().meta({ description: "How long the agent may take." }),
    lease_ms: z.int().meta({ description: "How long the claim lasts without renewal." }),
  })
  .meta({ id: "Claim" });
export type Claim = z.output<typeof Claim>;

export const claimJob = operation("claim_job", {
  summary: "For runners: take the queued job that has waited longest, or wait until there is one.",
  unlisted: true,
  input: z.strictObject({
    runner: lineOfChars(limits.nameCharsMax).meta({ description: "Name of the machine, for people." }),
    kinds: z.array(JobKind).min(1).max(JobKind.options.length).optional().meta({
      description: "Only jobs of these kinds.",
    }),
    wait: z
      .number()
      .min(0)
      .max(limits.waitSecondsMax)
      .default(limits.waitSecondsMax)
      .meta({ description: "How many seconds to wait for one." }),
    ...retryable,
  }),
  output: z.object({ claim: Claim.nullable() }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ claim }) => (claim === null ? "no job" : compactJob(claim.job)),
});

export const renewJob = operation("renew_job", {
  summary: "For runners: renew the claim on a job, and check that it is still yours.",
  unlisted: true,
  input: z.strictObject({ job_id: JobId, fence: Fence, ...retryable }),
  output: z.object({
    holds: z.boolean().meta({ description: "False: end the agent, because its job has already ended." }),
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ holds }) => (holds ? "the claim is valid" : "the claim has ended: end the agent"),
});

/** Why a runner stopped an agent before it exited. */
export const JobStopReason = z.enum(["timed_out", "stopping", "lost"]);
export type JobStopReason = z.output<typeof JobStopReason>;

export const endJob = operation("end_job", {
  summary: "For runners: report how the agent of a claimed job ended.",
  unlisted: true,
  input: z.strictObject({
    job_id: JobId,
    fence: Fence,
    exit_code: z.int().nullable().meta({ description: "Null if it never ran." }),
    error_tail: textOfBytes(4_096).meta({ description: "The end of what it wrote to stderr." }),
    error: z
      .object({ reason: z.enum(["unreachable", "overgrown"]), message: StorableText.max(2_000) })
      .nullable()
      .meta({
        description: "Why it could not run or continue; null if it ended normally or was stopped.",
      }),
    usage: z.array(ModelUsage).max(20).optional().meta({ description: "Usage of its models, if reported." }),
    ended_because: JobStopReason.nullable().meta({
      description: "Why the runner stopped it; null if it did not, or if the job was cancelled.",
    }),
    ...retryable,
  }),
  output: z.object({
    ended: z.boolean().meta({ description: "False: the claim had ended, and the job ended another way." }),
    job: Job,
  }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ ended, job }) => joinLines(compactJob(job), !ended && "it had ended before"),
});
