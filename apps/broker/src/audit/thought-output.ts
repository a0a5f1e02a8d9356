import type { ThoughtRow } from "@merkle/db";
import type { HashedThought, ThoughtRecord } from "@merkle/wire";

type Written = Pick<ThoughtRow, "id" | "type" | "taskId" | "content" | "timestamp" | "prevHash">;

/** What of a record is hashed. */
export function toHashed({ id, type, taskId, content, timestamp, prevHash }: Written): HashedThought {
  return { id, type, task_id: taskId, content, timestamp: timestamp.toISOString(), prev_hash: prevHash };
}

export function toThought(row: ThoughtRow): ThoughtRecord {
  const { id, number, type, taskId, content, timestamp, prevHash, hash, sessionId, recordedBy } = row;
  return {
    id,
    number,
    type,
    task_id: taskId,
    content,
    timestamp: timestamp.toISOString(),
    prev_hash: prevHash,
    hash,
    session_id: sessionId,
    recorded_by: recordedBy,
  };
}
