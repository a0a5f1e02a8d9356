import type { LockedStateEntry, StateVersionRow } from "@merkle/db";
import {
  MerkleError,
  type ParsedInputOf,
  type StateChangeFrame,
  type StateEntry,
  type SystemEvent,
} from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { utf8Bytes } from "@merkle/wire/text";
import type { DocumentServices } from "../../document/services.js";
import type { SessionContext } from "../../sessions/context.js";

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

/** Returns the event that tells the feed of a change. */
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

export type StateScope = ParsedInputOf<"get_state">["scope"];

/**
 * Returns the id that a scope's keys belong to: the session that is called, or its mesh, whose keys all its
 * sessions share (STATE-1).
 */
export function scopeIdOf(
  { services, session }: SessionContext<DocumentServices>,
  scope: StateScope,
): string {
  return scope === "mesh" ? services.database.meshId : session.sessionId;
}

export function noSuchKey(key: string, scope: StateScope): MerkleError {
  return new MerkleError("not_found", `No key "${key}" was ever set in the state of this ${scope}.`, {
    key,
    scope,
    next: "list_state",
  });
}

/** How long a key's next event has to wait; 0 when it may come now (STATE-7). */
export function msUntilDue({ announcedAt, now }: Pick<LockedStateEntry, "announcedAt" | "now">): number {
  if (!announcedAt) return 0;
  return Math.max(0, announcedAt.getTime() + limits.stateEventMsMin - now.getTime());
}
