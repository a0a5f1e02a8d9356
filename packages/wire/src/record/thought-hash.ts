import { toCanonicalJson } from "../core/canonical-json.js";

/**
 * The fields of a thought record that are hashed. The hash does not include the audit session and the author
 * (AUDIT-4).
 */
export interface HashedThought {
  readonly id: string;
  readonly type: string;
  readonly task_id: string;
  readonly content: string;
  /** Time of the record in UTC, with milliseconds. */
  readonly timestamp: string;
  /** Hash of the task's previous record, or `firstPrevHash` if this is the first. */
  readonly prev_hash: string;
}

/** The `prev_hash` of a task's first record. */
export const firstPrevHash = "0".repeat(64);

/**
 * Returns the text whose hash identifies the record: the canonical JSON (RFC 8785) of exactly these six
 * fields.
 */
export function serialiseThought({
  id,
  type,
  task_id,
  content,
  timestamp,
  prev_hash,
}: HashedThought): string {
  return toCanonicalJson({ id, type, task_id, content, timestamp, prev_hash });
}
