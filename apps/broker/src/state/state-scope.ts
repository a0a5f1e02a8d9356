import type { ParsedInputOf } from "@merkle/wire";
import type { SessionContext } from "../sessions/context.js";
import type { StateServices } from "./services.js";

export type StateScope = ParsedInputOf<"get_state">["scope"];

/** What a scope's keys belong to: the session that is called, or its mesh, whose keys all its sessions share (STATE-1). */
export function scopeIdOf({ services, session }: SessionContext<StateServices>, scope: StateScope): string {
  return scope === "mesh" ? services.database.meshId : session.sessionId;
}
