import { lockGroups, updatePeerFacts } from "@merkle/db";
import type { GroupMembership, OutputOf, ParsedInputOf } from "@merkle/wire";
import type { SessionServices, TeamContext } from "./context.js";
import { withMembership, withoutMembership } from "./peers/membership.js";
import { announceRoster } from "./roster/announce-roster.js";

/** Adds the caller's peer to a group, or changes its role there (PEER-13). */
export async function joinGroup(
  ctx: TeamContext<SessionServices>,
  { name, role }: ParsedInputOf<"join_group">,
): Promise<OutputOf<"join_group">> {
  return changeGroups(ctx, (groups) => withMembership(groups, { name, role }));
}

/** Removes the caller's peer from a group. Also succeeds if the peer is not in the group. */
export async function leaveGroup(
  ctx: TeamContext<SessionServices>,
  { name }: ParsedInputOf<"leave_group">,
): Promise<OutputOf<"leave_group">> {
  return changeGroups(ctx, (groups) => withoutMembership(groups, name));
}

/** Changes the groups of the caller's peer. Returns the resulting groups. */
async function changeGroups(
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
