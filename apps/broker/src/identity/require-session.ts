import { MerkleError } from "@merkle/wire";
import { type Asker, isConfined } from "./principal.js";
import type { SessionDirectory, SessionIdentity } from "./session-directory.js";

/** The session that a filter names by id or slug; to whom only one is shown, there is no other. */
export async function requireSession(
  { sessions }: { readonly sessions: SessionDirectory },
  ref: string,
  asker: Asker = null,
): Promise<SessionIdentity> {
  const session = await sessions.find(ref);
  const isHidden = isConfined(asker) && asker.sessionId !== session?.sessionId;
  if (session && !isHidden) return session;
  throw new MerkleError(
    "not_found",
    `There is no session "${ref.slice(0, 100)}". list_sessions shows those there are.`,
  );
}
