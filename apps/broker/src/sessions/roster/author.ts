import { findSessionOfTeam } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { requireSession } from "../../identity/session-directory.js";
import type { MeshContext, SessionServices, UnnamedContext } from "../context.js";

interface Author {
  readonly name: string;
  /**
   * The session that the author's team belongs to, or that a person names. Null if the person names no session.
   */
  readonly sessionId: string | null;
}

/**
 * Returns the author of a memory, log entry or similar item, and the session in which it was written.
 *
 * @param named - the session that the caller names, for a person who addresses no session
 * @throws bad_request if a team names a session other than its own
 */
export async function authorOf(
  { services, team, person }: MeshContext<SessionServices> | UnnamedContext<SessionServices>,
  named: string | undefined,
): Promise<Author> {
  const session = named === undefined ? null : await requireSession(services, named);
  if (!team)
    return { name: person ? personName(person) : unnamedAgent, sessionId: session?.sessionId ?? null };
  const { orm, meshId } = services.database;
  const sessionId = await findSessionOfTeam(orm, meshId, team.teamId);
  if (session && session.sessionId !== sessionId) {
    throw new MerkleError(
      "bad_request",
      "A team can write only for its own session. Leave out the session: only a person can name one.",
    );
  }
  return { name: authorName(team), sessionId };
}

export function nameOf({ team, person }: MeshContext<SessionServices>): string {
  return team ? authorName(team) : personName(person);
}

interface Named {
  readonly name: string;
  readonly kind?: "agent" | "human" | "guest";
  readonly peer: { readonly name: string | null };
}

/** Returns an author's name for display: `team/peer` for a named peer, otherwise the team's name. */
export function authorName({ name, kind, peer }: Named): string {
  if (peer.name !== null) return `${name}/${peer.name}`;
  return kind === "guest" ? guestName(name) : name;
}

/**
 * Adds the mark that identifies a guest where only the name is shown. No real name can contain the mark
 * (NAME-3).
 */
function guestName(name: string): string {
  return `${name} (guest)`;
}

/** The name of a caller without any identity. No team can have this name (NAME-3). */
export const unnamedAgent = guestName("agent");

export function personName({
  name,
  verified,
}: {
  readonly name: string;
  readonly verified: boolean;
}): string {
  return verified ? name : guestName(name);
}
