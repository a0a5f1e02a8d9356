import type { Member } from "./identity.js";

/**
 * The members in force whom a member invited, whom these invited, and so on: those whom `revoke_member` ends with it when it is told
 * to. The caller, and whomever that one invited, are left out.
 */
export function listInvited(members: readonly Member[], { member_id }: Pick<Member, "member_id">): Member[] {
  const found = new Set([member_id]);
  // Each look adds those whom the last ones invited.
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const each of members) {
      if (!each.own && each.invited_by && found.has(each.invited_by.member_id)) found.add(each.member_id);
    }
  }
  return members.filter(
    (each) => each.member_id !== member_id && each.revoked === null && found.has(each.member_id),
  );
}
