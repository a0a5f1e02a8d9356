import type { MeshContext } from "../context.js";
import { authorName } from "../roster/author-name.js";

/** Who starts an audit session or records in one: a peer, or a person. */
export interface AuditCaller {
  readonly id: string;
  readonly name: string;
}

export function auditCallerOf({ team, person }: MeshContext): AuditCaller {
  return team ? { id: team.peer.peerId, name: authorName(team) } : { id: person.personId, name: person.name };
}
