import { MerkleError } from "@merkle/wire";
import type { IdentityContext, IdentityServices } from "./context.js";
import type { MemberPrincipal, Principal } from "./principal.js";

/**
 * Returns the calling member, for operations that only members can use.
 *
 * @throws forbidden in open mode, where callers are not members
 */
export function requireMember({
  principal,
}: Pick<IdentityContext<IdentityServices>, "principal">): MemberPrincipal {
  if (principal?.kind === "member") return principal;
  throw new MerkleError(
    "forbidden",
    "This broker is open to everyone, so it has no members, invites or tokens. Restart it with merkle up --auth invite to admit only members.",
    { auth: "open" },
  );
}

/**
 * Returns the member whose entries a list shows. Null for admins and in open mode, because these callers see
 * all entries.
 */
export function toListedMemberId(principal: Principal | null): string | null {
  return principal?.kind === "member" && principal.role !== "admin" ? principal.memberId : null;
}
