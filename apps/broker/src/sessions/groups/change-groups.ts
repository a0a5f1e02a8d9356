import { type GroupMembership, lockGroups, updatePeerFacts } from "@merkle/db";
import type { SessionServices, TeamContext } from "../context.js";
import { announceRoster } from "../roster/announce-roster.js";

/** Changes the groups of the caller's peer, and returns those it is in then. */
export async function changeGroups(
  { services, session: { sessionId }, team, write }: TeamContext<SessionServices>,
  change: (groups: readonly GroupMembership[]) => GroupMembership[],
): Promise<{ groups: GroupMembership[] }> {
  const { peerId } = team.peer;
  return write(async ({ tx, afterCommit }) => {
    const groups = change(await lockGroups(tx, sessionId, peerId));
    await updatePeerFacts(tx, sessionId, peerId, { groups });
    afterCommit(() => announceRoster(services, sessionId));
    return { groups };
  });
}
