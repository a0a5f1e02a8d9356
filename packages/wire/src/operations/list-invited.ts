import type { Member } from "./identity.js";

/**
 * Returns the active members that a member invited, directly or indirectly. `revoke_member` can revoke them
 * together with that member. The caller, and the members that the caller invited, are left out.
 */
export function listInvited(members: readonly Member[], { member_id }: Pick<Member, "member_id">): Member[] {
  const invited = new Set([member_id]);
  // Each pass adds the members that were invited by members found in an earlier pass.
  for (let before = 0; before < invited.size; ) {
    before = invited.size;
    for (const each of members) {
      if (!each.own && each.invited_by && invited.has(each.invited_by.member_id)) invited.add(each.member_id);
    }
  }
  return members.filter(
    (each) => each.member_id !== member_id && each.revoked === null && invited.has(each.member_id),
  );
}
