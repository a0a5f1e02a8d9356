import { type GroupMembership, MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";

/**
 * Returns whether messages to `@group` reach a peer with these memberships: the peer is in the group or in
 * one of its subgroups (PEER-14).
 */
export function isMember(groups: readonly GroupMembership[], group: string): boolean {
  const wanted = group.toLowerCase();
  return groups.some(({ name }) => {
    const own = name.toLowerCase();
    return own === wanted || own.startsWith(`${wanted}/`);
  });
}

/**
 * Adds a membership, or changes the role in an existing membership. A group name keeps its first spelling.
 */
export function withMembership(
  groups: readonly GroupMembership[],
  { name, role }: { readonly name: string; readonly role?: string | undefined },
): GroupMembership[] {
  const known = groups.findIndex((group) => isSameGroup(group.name, name));
  if (known === -1) return refuseTooMany([...groups, { name, role: role ?? null }]);
  return groups.map((group, index) => (index === known ? { ...group, role: role ?? group.role } : group));
}

export function withoutMembership(groups: readonly GroupMembership[], name: string): GroupMembership[] {
  return groups.filter((group) => !isSameGroup(group.name, name));
}

function isSameGroup(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function refuseTooMany(groups: GroupMembership[]): GroupMembership[] {
  const max = limits.groupsPerPeerMax;
  if (groups.length <= max) return groups;
  throw new MerkleError("bad_request", `A peer can be in at most ${max} groups. Leave a group first.`, {
    groups_max: max,
  });
}
