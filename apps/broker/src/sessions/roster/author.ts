import { findSessionOfTeam } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { requireSession } from "../../identity/session-directory.js";
import type { MeshContext, SessionServices, UnnamedContext } from "../context.js";

interface ItemAuthor {
  readonly name: string;
  /**
   * The session that the author's team belongs to, or that a person names. Null if the person names no session.
   */
  readonly sessionId: string | null;
}

/**
 * Returns the author of a memory, log entry or similar item, and the session in which it was written.
 *
 * @param sessionRef - the session that the caller names, for a person who addresses no session
 * @throws bad_request if a team names a session other than its own
 */
export async function readAuthor(
  { services, team, person }: MeshContext<SessionServices> | UnnamedContext<SessionServices>,
  sessionRef: string | undefined,
): Promise<ItemAuthor> {
  const session = sessionRef === undefined ? null : await requireSession(services, sessionRef);
  if (!team)
    return { name: person ? formatPersonName(person) : unnamedAgent, sessionId: session?.sessionId ?? null };
  const { orm, meshId } = services.database;
  const sessionId = await findSessionOfTeam(orm, meshId, team.teamId);
  if (session && session.sessionId !== sessionId) {
    throw new MerkleError(
      "bad_request",
      "A team can write only for its own session. Leave out the session: only a person can name one.",
    );
  }
  return { name: formatAuthorName(team), sessionId };
}

export function formatCallerName({ team, person }: MeshContext<SessionServices>): string {
  return team ? formatAuthorName(team) : formatPersonName(person);
}

interface AuthorFields {
  readonly name: string;
  readonly kind?: "agent" | "human" | "guest";
  readonly peer: { readonly name: string | null };
}

/** Returns an author's name for display: `team/peer` for a named peer, otherwise the team's name. */
export function formatAuthorName({ name, kind, peer }: AuthorFields): string {
  if (peer.name !== null) return `${name}/${peer.name}`;
  return kind === "guest" ? formatGuestName(name) : name;
}

/**
 * Adds the mark that identifies a guest where only the name is shown. No real name can contain the mark
 * (NAME-3).
 */
function formatGuestName(name: string): string {
  return `${name} (guest)`;
}

/** The name of a caller without any identity. No team can have this name (NAME-3). */
export const unnamedAgent = formatGuestName("agent");

export function formatPersonName({
  name,
  verified,
}: {
  readonly name: string;
  readonly verified: boolean;
}): string {
  return verified ? name : formatGuestName(name);
}
