import {
  type Database,
  findHead,
  type HeadRow,
  type RecordExtent,
  readRecordExtent,
  saveHead,
  type Transaction,
} from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { type HeadAbout, type SignedHead, toCanonicalJson } from "@merkle/wire/record";
import type { CoreServices } from "../../core/services.js";
import type { WorkerPool } from "../../core/workers/workers.js";
import { type AuditSigner, listSuccession } from "../../identity/audit-key/audit-key.js";
import { readAbout } from "./about.js";
import { signHead, toHeadRow, toSignedHead } from "./sign-head.js";
import { completeTiles, type LogReader } from "./tiles.js";

/** Signs the heads of session records, and stores the hash tiles from which heads are computed. */
export interface Records {
  /**
   * Returns the current head of a session, or null if there is no such session. The same head is returned
   * until the record grows, whichever node signed it (SEAL-3).
   *
   * @throws conflict if the record is damaged
   */
  findCurrentHead(sessionId: string): Promise<{ head: SignedHead; extent: RecordExtent } | null>;
  /**
   * Returns a head that covers the same logs and the session's current facts. Returns `head` itself if the
   * facts have not changed.
   */
  refreshHead(sessionId: string, head: SignedHead, about: HeadAbout): Promise<SignedHead>;
  /** Hashes new entries in advance, so that little is left to hash while the feed is locked. */
  catchUp(sessionId: string): Promise<RecordExtent | null>;
}

interface RecordsOptions {
  readonly database: Database;
  readonly workers: WorkerPool;
  readonly signer: AuditSigner;
}

export function createRecords({ database, workers, signer }: RecordsOptions): Records {
  // A head is valid only if it was signed with the current key or one of its predecessors.
  const line = listSuccession(signer.keys);
  /** Hashing in progress, by session. Further callers wait for it, and then hash the remaining entries. */
  const underWay = new Map<string, Promise<void>>();

  async function complete(sessionId: string, extent: RecordExtent): Promise<void> {
    for (let before = underWay.get(sessionId); before; before = underWay.get(sessionId)) {
      await before.catch(() => undefined);
    }
    const completion = completeLogs({ db: database.orm, workers }, sessionId, extent).finally(() =>
      underWay.delete(sessionId),
    );
    underWay.set(sessionId, completion);
    return completion;
  }

  async function catchUp(sessionId: string): Promise<RecordExtent | null> {
    const extent = await readRecordExtent(database.orm, sessionId);
    if (extent) await complete(sessionId, extent);
    return extent;
  }

  return {
    catchUp,
    async findCurrentHead(sessionId) {
      const extent = await catchUp(sessionId);
      if (!extent) return null;
      // An archived session has no rows from which to sign a new head. Its last head was signed when it was
      // archived.
      const existing = await findHead(
        database.orm,
        sessionId,
        extent,
        extent.imported || extent.archived ? undefined : line,
      );
      const row = existing ?? (await signAndKeep(sessionId, extent));
      return { head: toSignedHead(row), extent };
    },
    async refreshHead(sessionId, head, about) {
      if (toCanonicalJson(head.about ?? null) === toCanonicalJson(about)) return head;
      const { key_id: _key, signature: _signature, ...logs } = head;
      const signed = signer.sign({ ...logs, about, at: new Date().toISOString() });
      return toSignedHead(await saveHead(database.orm, toHeadRow(signed, { sessionId, sealed: false })));
    },
  };

  async function signAndKeep(sessionId: string, extent: RecordExtent): Promise<HeadRow> {
    const reader: LogReader = { db: database.orm, workers };
    const about = await readAbout({ db: database.orm, meshId: database.meshId, sessionId }, extent);
    const facts = { epoch: database.epoch, at: new Date(), sealed: false, about };
    return saveHead(database.orm, await signHead(reader, signer, { sessionId, extent, ...facts }));
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

/**
 * How long a caller waits for hashing. Shorter than the time after which the database counts as not
 * responding.
 */
const patienceMs = 10_000;

/**
 * Waits for work that needs a record's hashes. Hashing a very long record for the first time takes longer than
 * the time limit of a request. In that case, the caller gets an error and should retry, while the hashing
 * continues.
 *
 * @throws unavailable if the hashing takes too long; nothing else was done
 */
export async function waitForHashing<Result>(work: Promise<Result>): Promise<Result> {
  return waitWithTimeout(work, stillHashing);
}

/** Waits for work up to the time limit of a request. The work continues even if the wait times out. */
export async function waitWithTimeout<Result>(
  work: Promise<Result>,
  createError: () => MerkleError,
): Promise<Result> {
  // If the work fails after this wait has ended, the next caller gets the error.
  work.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createError()), patienceMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

function stillHashing(): MerkleError {
  return new MerkleError(
    "unavailable",
    "This long record is being hashed for the first time. Nothing else was done yet. Try again in a moment.",
    { outcome: "none", retry_after_s: 5 },
  );
}

/**
 * Signs and stores the seal of a session: the head over its feed, document, roster and state, as the
 * transaction sees them (SEAL-2). The transaction locks the feed and the document, so nothing can change
 * between the signing and the event that announces the seal. Entries that `catchUp` has hashed are not read
 * again.
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
  return toSignedHead(await saveHead(tx, await signHead(reader, signer, head)));
}
