import { listOriginKeys, listSeals } from "@merkle/db";
import { limits, MerkleError, type OutputOf } from "@merkle/wire";
import type { SessionContext } from "../sessions/context.js";
import { toAuditKey } from "./audit-key.js";
import type { RecordServices } from "./services.js";
import { toSignedHead } from "./signed-head.js";
import { whileHashing } from "./while-hashing.js";

/** Gives the signed head of a session's record as it is now, and those of its conclusions (SEAL-3). */
export async function sessionSeal({
  services,
  session,
}: SessionContext<RecordServices>): Promise<OutputOf<"session_seal">> {
  const { database, records, signer } = services;
  const { sessionId, slug } = session;
  const now = await whileHashing(records.headNow(sessionId));
  if (!now) throw new MerkleError("not_found", `There is no session "${slug}".`);
  const [seals, originKeys] = await Promise.all([
    listSeals(database.orm, sessionId, limits.sealsListedMax),
    listOriginKeys(database.orm, sessionId),
  ]);
  const own = new Set(signer.keys.map(({ key_id }) => key_id));
  return {
    session_id: sessionId,
    concluded: now.extent.closed,
    head: now.head,
    seals: seals.map(toSignedHead),
    keys: [...originKeys.map(toAuditKey).filter(({ key_id }) => !own.has(key_id)), ...signer.keys],
  };
}
