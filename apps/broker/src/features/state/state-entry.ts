import type { LockedStateEntry, StateVersionRow } from "@merkle/db";
import {
  MerkleError,
  type StateChangeFrame,
  type StateEntry,
  type StateScope,
  type SystemEvent,
} from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { countUtf8Bytes } from "@merkle/wire/text";
import type { DocumentServices } from "../../document/services.js";
import type { SessionContext } from "../../sessions/context.js";
import { toStateEntry } from "../../sessions/state-entry.js";

/**
 * Returns the entry in the form that is pushed to watchers, without its value if the value is too large
 * (STATE-8).
 */
export function toAnnouncedEntry(row: StateVersionRow): StateEntry {
  const { value, ...entry } = toStateEntry(row);
  const hasShortValue = row.value !== null && countUtf8Bytes(row.value) <= limits.stateValueToldBytesMax;
  return hasShortValue ? { ...entry, value } : entry;
}

/** Returns the push frame for a state change. If `sessionId` is null, the key belongs to the mesh. */
export function toStateChange(sessionId: string | null, row: StateVersionRow): StateChangeFrame {
  return { type: "state_change", session_id: sessionId, ...toAnnouncedEntry(row) };
}

/** Returns the feed event for a change to a key. */
export function toStateEvent(row: StateVersionRow): SystemEvent {
  const { key, version, updatedBy, updatedAt, deleted, ...valueField } = toAnnouncedEntry(row);
  return {
    event: "state_changed",
    by: updatedBy,
    key,
    version,
    ...valueField,
    ...(deleted ? { deleted } : {}),
    at: updatedAt,
  };
}

/**
 * Returns the id that a scope's keys belong to: the session of the call, or its mesh, whose keys are shared
 * by all sessions (STATE-1).
 */
export function toScopeId(
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

/** Returns how long a key's next event must wait, in milliseconds; 0 if it can be posted now (STATE-7). */
export function computeMsUntilDue({
  announcedAt,
  now,
}: Pick<LockedStateEntry, "announcedAt" | "now">): number {
  if (!announcedAt) return 0;
  return Math.max(0, announcedAt.getTime() + limits.stateEventMsMin - now.getTime());
}
