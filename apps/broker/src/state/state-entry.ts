import type { StateVersionRow } from "@merkle/db";
import { limits, type StateChangeFrame, type StateEntry, type SystemEvent, utf8Bytes } from "@merkle/wire";

/** A stored value as callers see it. */
export function toStateEntry({
  key,
  version,
  value,
  updatedBy,
  updatedAt,
  redacted = false,
}: StateVersionRow): StateEntry {
  return {
    key,
    ...(value === null ? {} : { value: JSON.parse(value) }),
    deleted: value === null && !redacted,
    ...(redacted && { redacted }),
    version,
    updatedBy,
    updatedAt: updatedAt.toISOString(),
  };
}

/** The same without a value that is too large to be told unasked (STATE-8). */
export function toToldEntry(row: StateVersionRow): StateEntry {
  const { value, ...entry } = toStateEntry(row);
  const isTold = row.value !== null && utf8Bytes(row.value) <= limits.stateValueToldBytesMax;
  return isTold ? { ...entry, value } : entry;
}

/** The push of a change; of a mesh's key when there is no session. */
export function toStateChange(sessionId: string | null, row: StateVersionRow): StateChangeFrame {
  return { type: "state_change", session_id: sessionId, ...toToldEntry(row) };
}

/** What the feed is told of a change. */
export function toStateEvent(row: StateVersionRow): SystemEvent {
  const { key, version, updatedBy, updatedAt, deleted, ...told } = toToldEntry(row);
  return {
    event: "state_changed",
    by: updatedBy,
    key,
    version,
    ...told,
    ...(deleted ? { deleted } : {}),
    at: updatedAt,
  };
}
