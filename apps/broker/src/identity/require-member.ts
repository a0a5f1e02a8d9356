import { MerkleError } from "@merkle/wire";
import type { Context, IdentityServices } from "./context.js";
import type { MemberPrincipal, Principal } from "./principal.js";

/**
 * The member who asks, for what is a member's own.
 *
 * @throws forbidden where the broker lets everybody in, who then is nobody in particular
 */
export function requireMember({ principal }: Pick<Context<IdentityServices>, "principal">): MemberPrincipal {
  if (principal?.kind === "member") return principal;
  throw new MerkleError(
    "forbidden",
    "This broker is open to everyone, so it has no members, invites or tokens. Restart it with merkle up --auth invite to admit only members.",
    { auth: "open" },
  );
}

/** The member whose own is all that a list may show; null for an admin, and where everybody is let in: those see all. */
export function onlyOf(principal: Principal | null): string | null {
  return principal?.kind === "member" && principal.role !== "admin" ? principal.memberId : null;
}
