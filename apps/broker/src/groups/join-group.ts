import type { OutputOf, ParsedInputOf, TeamContext } from "../context.js";
import { changeGroups } from "./change-groups.js";
import { withMembership } from "./membership.js";

/** Puts the caller's peer into a group, or gives it another role there (PEER-13). */
export async function joinGroup(
  ctx: TeamContext,
  { name, role }: ParsedInputOf<"join_group">,
): Promise<OutputOf<"join_group">> {
  return changeGroups(ctx, (groups) => withMembership(groups, { name, role }));
}
