import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { SessionServices, TeamContext } from "../context.js";
import { withoutMembership } from "../peers/membership.js";
import { changeGroups } from "./change-groups.js";

/** Takes the caller's peer out of a group; out of one that it is not in, too. */
export async function leaveGroup(
  ctx: TeamContext<SessionServices>,
  { name }: ParsedInputOf<"leave_group">,
): Promise<OutputOf<"leave_group">> {
  return changeGroups(ctx, (groups) => withoutMembership(groups, name));
}
