import type { Job, JobKind, JobStatus } from "@merkle/wire";
import { showHidden } from "@/text/markdown/hidden-characters";

/** Describes a job's purpose in words. */
export function describeJob({ kind, topic_id, persona_name, source_path }: DescribedJob): string {
  const sourceNoun = source_path === null ? "document" : "file";
  switch (kind) {
    case "conclude":
      return "Draft the conclusion";
    case "incorporate":
      return `Rewrite the ${sourceNoun} for comment ${topic_id}`;
    case "perspective":
      return `Read the ${sourceNoun} as \u2068${showHidden(persona_name ?? "")}\u2069`;
  }
}

export type DescribedJob = JobTarget & Pick<Job, "source_path">;

export type JobTarget = Pick<Job, "kind" | "topic_id" | "persona_name">;

/** Labels of the job states. */
export const jobStateLabels: Readonly<Record<JobStatus, string>> = {
  queued: "Queued",
  running: "Running",
  succeeded: "Succeeded",
  failed: "Failed",
  timed_out: "Timed out",
  cancelled: "Cancelled",
};

export const jobKindLabels: Readonly<Record<JobKind, string>> = {
  conclude: "Conclusions",
  incorporate: "Rewrites for a comment",
  perspective: "Perspectives",
};

export function isInFlight({ status }: Pick<Job, "status">): boolean {
  return status === "queued" || status === "running";
}

/** True if both jobs have the same purpose. */
export function isSameTarget(one: JobTarget, other: JobTarget): boolean {
  return (
    one.kind === other.kind && one.topic_id === other.topic_id && one.persona_name === other.persona_name
  );
}
