import { keepHead, readRecordExtent, type Transaction } from "@merkle/db";
import type { SignedHead } from "@merkle/wire/record";
import { readAbout } from "./about.js";
import { completeLogs } from "./records.js";
import type { RecordServices } from "./services.js";
import { signHead } from "./sign-head.js";
import { toSignedHead } from "./signed-head.js";
import type { LogReader } from "./tiles.js";

/**
 * Signs and keeps the seal of a session: the head over all that is in its feed and its document, and said around them, as the
 * transaction sees it (SEAL-2). The transaction holds both, so nothing comes between what is signed and the event that tells of it. What
 * `catchUp` has hashed before is not read again.
 */
export async function sealSession(
  tx: Transaction,
  { database, workers, signer }: Pick<RecordServices, "database" | "workers" | "signer">,
  { sessionId, at }: { readonly sessionId: string; readonly at: Date },
): Promise<SignedHead> {
  const extent = await readRecordExtent(tx, sessionId);
  if (!extent) throw new TypeError("A session that is concluded has a record.");
  const reader: LogReader = { db: tx, workers };
  await completeLogs(reader, sessionId, extent);
  const about = await readAbout({ db: tx, meshId: database.meshId, sessionId }, extent);
  const head = { sessionId, extent, epoch: database.epoch, at, sealed: true, about };
  return toSignedHead(await keepHead(tx, await signHead(reader, signer, head)));
}
