import type { Context, MeshContext, SessionServices } from "../sessions/context.js";
import { authorName, personName } from "../sessions/roster/author-name.js";

/** Who starts an audit session or records in one: a peer, or a person. */
export interface AuditCaller {
  readonly id: string;
  readonly name: string;
}

/** Null for a reader who gave no credential. */
export function auditCallerOf(ctx: MeshContext<SessionServices>): AuditCaller;
export function auditCallerOf(ctx: Context<SessionServices>): AuditCaller | null;
export function auditCallerOf({ team, person }: Context<SessionServices>): AuditCaller | null {
  if (team) return { id: team.peer.peerId, name: authorName(team) };
  return person && { id: person.personId, name: personName(person) };
}
