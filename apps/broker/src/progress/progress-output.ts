import type { ProgressEntryRow } from "@merkle/db";
import type { ProgressEntry } from "@merkle/wire";

export function toProgressEntry(row: ProgressEntryRow): ProgressEntry {
  const { id, title, tags, agentId, loggedBy, createdAt } = row;
  return { id, title, createdAt: createdAt.toISOString(), tags: [...tags], agentId, loggedBy };
}
