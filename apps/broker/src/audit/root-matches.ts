import { type AuditSessionKey, findMerkleRoot, listRecordHashes } from "@merkle/db";
import type { Services } from "../context.js";

/** Whether a session's records are those that it was finalized with; null while it is not finalized. */
export async function rootMatches(
  { database, workers }: Services,
  session: AuditSessionKey,
): Promise<boolean | null> {
  const finalized = await findMerkleRoot(database.orm, session);
  if (!finalized) return null;
  const leaves = await listRecordHashes(database.orm, session);
  if (leaves.length !== finalized.recordCount) return false;
  return (await workers.run("merkle_root", { leaves })) === finalized.root;
}
