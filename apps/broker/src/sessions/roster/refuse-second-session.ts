import { findTeamElsewhere, lockMember } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import { ownerOf } from "../../identity/principal.js";
import type { Context, SessionServices } from "../context.js";

/**
 * Where a member's agents are to be in one open session at a time, refuses them a second one (GUARD-13). People are in as many
 * as they like, and whoever is in several since before the setting stays.
 *
 * @throws conflict, with the session that the member has a team in
 */
export async function refuseSecondSession(
  { services, principal, person }: Context<SessionServices>,
  { tx }: Write,
  sessionId: string | null,
): Promise<void> {
  const memberId = ownerOf(principal);
  if (!services.settings.current.exclusive_membership || memberId === null || person) return;
  const { meshId } = services.database;
  // Two sessions may be joined at once: the second join finds the first.
  await lockMember(tx, meshId, memberId);
  const elsewhere = await findTeamElsewhere(tx, { meshId, memberId, sessionId });
  if (!elsewhere) return;
  const { slug, team } = elsewhere;
  throw new MerkleError(
    "conflict",
    `Your team "${team}" is already in the session "${slug}", and this broker allows a member's agents to be in only one open session. ` +
      "Leave or conclude that session first.",
    { session: slug, team, next: "leave_session" },
  );
}
