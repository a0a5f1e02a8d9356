import { listOriginKeys } from "@merkle/db";
import type { AuditKey } from "@merkle/wire/record";
import { toAuditKey } from "./audit-key.js";
import type { RecordServices } from "./services.js";

/** The keys that a session's heads are signed with, those of its origin first; the last is the one that signs now. */
export async function keysOf(
  { database, signer }: Pick<RecordServices, "database" | "signer">,
  sessionId: string,
): Promise<readonly AuditKey[]> {
  const own = new Set(signer.keys.map(({ key_id }) => key_id));
  const ofOrigin = (await listOriginKeys(database.orm, sessionId)).map(toAuditKey);
  return [...ofOrigin.filter(({ key_id }) => !own.has(key_id)), ...signer.keys];
}
