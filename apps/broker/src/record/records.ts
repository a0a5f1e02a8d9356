import {
  type Database,
  findHead,
  type HeadRow,
  keepHead,
  type RecordExtent,
  readRecordExtent,
} from "@merkle/db";
import { canonicalJson } from "@merkle/wire";
import type { HeadAbout, SignedHead } from "@merkle/wire/record";
import type { Workers } from "../core/workers/workers.js";
import { readAbout } from "./about.js";
import { type AuditSigner, lineOf } from "./audit-key.js";
import { signHead } from "./sign-head.js";
import { toHeadRow, toSignedHead } from "./signed-head.js";
import { completeTiles, type LogReader } from "./tiles.js";

/** What is signed of sessions' records, and the tiles that it is made from. */
export interface Records {
  /**
   * The head of a session as it is now. The same one is given out until something is added to the record, by whichever node
   * it was signed (SEAL-3).
   *
   * @throws conflict when the record is damaged; null when there is no such session
   */
  headNow(sessionId: string): Promise<{ head: SignedHead; extent: RecordExtent } | null>;
  /** A head over the same logs as this one, and over what is said around them now: the same one when that is still so. */
  headAbout(sessionId: string, head: SignedHead, about: HeadAbout): Promise<SignedHead>;
  /** Hashes what came since it was done last, so that whoever holds the feed afterwards has little left to hash. */
  catchUp(sessionId: string): Promise<RecordExtent | null>;
}

export interface RecordsOptions {
  readonly database: Database;
  readonly workers: Workers;
  readonly signer: AuditSigner;
}

export function createRecords({ database, workers, signer }: RecordsOptions): Records {
  // A head that was signed with a key which the one of now does not come from is nobody's word any more.
  const line = lineOf(signer.keys);
  /** By session. Whoever comes while tiles are made waits, and makes what then is left. */
  const underWay = new Map<string, Promise<void>>();

  async function complete(sessionId: string, extent: RecordExtent): Promise<void> {
    for (let before = underWay.get(sessionId); before; before = underWay.get(sessionId)) {
      await before.catch(() => undefined);
    }
    const making = completeLogs({ db: database.orm, workers }, sessionId, extent).finally(() =>
      underWay.delete(sessionId),
    );
    underWay.set(sessionId, making);
    return making;
  }

  async function catchUp(sessionId: string): Promise<RecordExtent | null> {
    const extent = await readRecordExtent(database.orm, sessionId);
    if (extent) await complete(sessionId, extent);
    return extent;
  }

  return {
    catchUp,
    async headNow(sessionId) {
      const extent = await catchUp(sessionId);
      if (!extent) return null;
      const known = await findHead(database.orm, sessionId, extent, extent.imported ? undefined : line);
      const row = known ?? (await signAndKeep(sessionId, extent));
      return { head: toSignedHead(row), extent };
    },
    async headAbout(sessionId, head, about) {
      if (canonicalJson(head.about ?? null) === canonicalJson(about)) return head;
      const { key_id: _key, signature: _signature, ...logs } = head;
      const signed = signer.sign({ ...logs, about, at: new Date().toISOString() });
      return toSignedHead(await keepHead(database.orm, toHeadRow(signed, { sessionId, sealed: false })));
    },
  };

  async function signAndKeep(sessionId: string, extent: RecordExtent): Promise<HeadRow> {
    const reader: LogReader = { db: database.orm, workers };
    const about = await readAbout({ db: database.orm, meshId: database.meshId, sessionId }, extent);
    const facts = { epoch: database.epoch, at: new Date(), sealed: false, about };
    return keepHead(database.orm, await signHead(reader, signer, { sessionId, extent, ...facts }));
  }
}

/** Completes the tiles of both of a session's logs. */
export async function completeLogs(
  reader: LogReader,
  sessionId: string,
  { recordId, size, documentVersion }: RecordExtent,
): Promise<void> {
  await completeTiles(reader, { sessionId, recordId, log: "feed" }, size);
  await completeTiles(reader, { sessionId, recordId, log: "document" }, documentVersion);
}
