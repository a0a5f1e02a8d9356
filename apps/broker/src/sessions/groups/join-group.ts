import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { SessionServices, TeamContext } from "../context.js";
import { withMembership } from "../peers/membership.js";
import { changeGroups } from "./change-groups.js";

/** Puts the caller's peer into a group, or gives it another role there (PEER-13). */
export async function joinGroup(
  ctx: TeamContext<SessionServices>,
  { name, role }: ParsedInputOf<"join_group">,
): Promise<OutputOf<"join_group">> {
  return changeGroups(ctx, (groups) => withMembership(groups, { name, role }));
}
