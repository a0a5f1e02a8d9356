import {
  type Database,
  findHead,
  type HeadRow,
  keepHead,
  type RecordExtent,
  readRecordExtent,
  type Transaction,
} from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { canonicalJson, type HeadAbout, type SignedHead } from "@merkle/wire/record";
import type { CoreServices } from "../../core/services.js";
import type { Workers } from "../../core/workers/workers.js";
import { type AuditSigner, lineOf } from "../../identity/audit-key/audit-key.js";
import { readAbout } from "./about.js";
import { signHead, toHeadRow, toSignedHead } from "./sign-head.js";
import { completeTiles, type LogReader } from "./tiles.js";

/** The signed heads of sessions' records, and the tiles that they are made from. */
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

interface RecordsOptions {
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
      // What is archived lacks what another would be signed over; its objects were made under a head of now.
      const known = await findHead(
        database.orm,
        sessionId,
        extent,
        extent.imported || extent.archived ? undefined : line,
      );
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
async function completeLogs(
  reader: LogReader,
  sessionId: string,
  { recordId, size, documentVersion }: RecordExtent,
): Promise<void> {
  await completeTiles(reader, { sessionId, recordId, log: "feed" }, size);
  await completeTiles(reader, { sessionId, recordId, log: "document" }, documentVersion);
}

/** Less than a call may take before it counts as one that the database does not answer. */
const patienceMs = 10_000;

/**
 * Waits for what needs a record's hashes. A very long record that is hashed for the first time takes longer than an answer
 * may: then whoever asked is told to come again, and the hashing goes on, so that it is done at last.
 *
 * @throws unavailable, with nothing done but what was hashed
 */
export async function whileHashing<Result>(work: Promise<Result>): Promise<Result> {
  return patiently(work, stillHashing);
}

/** Waits for work that goes on when nobody waits any more, as long as an answer may take. */
export async function patiently<Result>(work: Promise<Result>, goesOn: () => MerkleError): Promise<Result> {
  // A failure that comes after nobody waits for it is told to whoever asks next.
  work.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const longer = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(goesOn()), patienceMs);
  });
  return Promise.race([work, longer]).finally(() => clearTimeout(timer));
}

function stillHashing(): MerkleError {
  return new MerkleError(
    "unavailable",
    "This long record is being hashed for the first time. Nothing else was done yet. Try again in a moment.",
    { outcome: "none", retry_after_s: 5 },
  );
}

/**
 * Signs and keeps the seal of a session: the head over all that is in its feed and its document, and said around them, as the
 * transaction sees it (SEAL-2). The transaction holds both, so nothing comes between what is signed and the event that tells of it. What
 * `catchUp` has hashed before is not read again.
 */
export async function sealSession(
  tx: Transaction,
  {
    database,
    workers,
    signer,
  }: Pick<CoreServices, "database" | "workers"> & { readonly signer: AuditSigner },
  { sessionId, at }: { readonly sessionId: string; readonly at: Date },
): Promise<SignedHead> {
  const extent = await readRecordExtent(tx, sessionId);
  if (!extent) throw new TypeError("A concluded session must have a record.");
  const reader: LogReader = { db: tx, workers };
  await completeLogs(reader, sessionId, extent);
  const about = await readAbout({ db: tx, meshId: database.meshId, sessionId }, extent);
  const head = { sessionId, extent, epoch: database.epoch, at, sealed: true, about };
  return toSignedHead(await keepHead(tx, await signHead(reader, signer, head)));
}
