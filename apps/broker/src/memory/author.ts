import { findSessionOfTeam } from "@merkle/db";
import type { MeshContext } from "../context.js";
import { authorName } from "../roster/author-name.js";

export interface Author {
  readonly name: string;
  /** The session of its team; null for a person, who is in none here. */
  readonly sessionId: string | null;
}

/** Who remembers, and where from. */
export async function authorOf({ services, team, person }: MeshContext): Promise<Author> {
  if (!team) return { name: person.name, sessionId: null };
  const { orm, meshId } = services.database;
  return { name: authorName(team), sessionId: await findSessionOfTeam(orm, meshId, team.teamId) };
}

export function nameOf({ team, person }: MeshContext): string {
  return team ? authorName(team) : person.name;
}
