import { type AuditSessionKey, findMerkleRoot, listRecordHashes } from "@merkle/db";
import type { SessionServices } from "../sessions/context.js";
import { merkleRootTask } from "./tasks.js";

/** Whether a session's records are those that it was finalized with; null while it is not finalized. */
export async function rootMatches(
  { database, workers }: SessionServices,
  session: AuditSessionKey,
): Promise<boolean | null> {
  const finalized = await findMerkleRoot(database.orm, session);
  if (!finalized) return null;
  const leaves = await listRecordHashes(database.orm, session);
  if (leaves.length !== finalized.recordCount) return false;
  return (await workers.run(merkleRootTask, { leaves })) === finalized.root;
}
