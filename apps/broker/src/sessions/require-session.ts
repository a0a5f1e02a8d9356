import { MerkleError } from "@merkle/wire";
import type { SessionDirectory, SessionIdentity } from "./directory.js";

/** The session that a filter names by id or slug. */
export async function requireSession(
  { sessions }: { readonly sessions: SessionDirectory },
  ref: string,
): Promise<SessionIdentity> {
  const session = await sessions.find(ref);
  if (session) return session;
  throw new MerkleError(
    "not_found",
    `There is no session "${ref.slice(0, 100)}". list_sessions shows those there are.`,
  );
}
