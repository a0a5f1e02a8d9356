import type { ParsedInputOf, SessionContext } from "../context.js";

export type StateScope = ParsedInputOf<"get_state">["scope"];

/** What a scope's keys belong to: the session that is called, or its mesh, whose keys all its sessions share (STATE-1). */
export function scopeIdOf({ services, session }: SessionContext, scope: StateScope): string {
  return scope === "mesh" ? services.database.meshId : session.sessionId;
}
