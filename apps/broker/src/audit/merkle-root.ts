import { findMerkleRoot } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { Context, SessionServices } from "../sessions/context.js";
import { toMerkleRoot } from "./merkle-finalize.js";
import { notFinalized } from "./not-finalized.js";
import { findMeantSession } from "./which-session.js";

/**
 * Reads what an audit session was sealed with (AUDIT-8).
 *
 * @throws ERR_NOT_FINALIZED, for a session that was never started, too
 */
export async function merkleRootOf(
  ctx: Context<SessionServices>,
  { session_id: named }: ParsedInputOf<"merkle_root">,
): Promise<OutputOf<"merkle_root">> {
  const session = await findMeantSession(ctx, named);
  const found = session && (await findMerkleRoot(ctx.services.database.orm, session));
  if (!session || !found) throw notFinalized(session);
  return toMerkleRoot(session, found);
}
