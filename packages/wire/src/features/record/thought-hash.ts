import { canonicalJson } from "../../core/canonical-json.js";

/** The fields of a thought record that are hashed; neither its audit session nor its author is among them (AUDIT-4). */
export interface HashedThought {
  readonly id: string;
  readonly type: string;
  readonly task_id: string;
  readonly content: string;
  /** UTC, with milliseconds. */
  readonly timestamp: string;
  /** The hash of the task's record before, or `firstPrevHash`. */
  readonly prev_hash: string;
}

/** The hash that the first record of a task is chained to. */
export const firstPrevHash = "0".repeat(64);

/** The bytes that a record's hash is taken of: the canonical JSON (RFC 8785) of these six fields and no other. */
export function thoughtText({ id, type, task_id, content, timestamp, prev_hash }: HashedThought): string {
  return canonicalJson({ id, type, task_id, content, timestamp, prev_hash });
}
