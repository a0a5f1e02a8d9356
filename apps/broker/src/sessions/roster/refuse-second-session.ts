import { findTeamElsewhere, lockMember } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import { findOwnerId } from "../../identity/principal.js";
import type { Context, SessionServices } from "../context.js";

/**
 * Refuses to let a member's agents join a second open session, if the broker allows only one at a time
 * (GUARD-13). People may join any number. Teams that were already in several sessions when the setting was
 * turned on stay in them.
 *
 * @throws conflict, with the session in which the member already has a team
 */
export async function refuseSecondSession(
  { services, principal, person }: Context<SessionServices>,
  { tx }: Write,
  sessionId: string | null,
): Promise<void> {
  const memberId = findOwnerId(principal);
  if (!services.settings.current.exclusive_membership || memberId === null || person) return;
  const { meshId } = services.database;
  // A member may join two sessions at the same time. The second call waits for the lock and then finds the
  // first session.
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
