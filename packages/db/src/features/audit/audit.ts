import { and, asc, desc, eq, getTableColumns, gt, inArray, lt, sql } from "drizzle-orm";
import { auditCounters, auditSessions, merkleRoots, thoughtRecords } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

/** Identifies an audit session by its id within its mesh. */
export interface AuditSessionKey {
  readonly meshId: string;
  readonly sessionId: string;
}

export interface NewAuditSession extends AuditSessionKey {
  readonly intent: string;
  readonly taskId: string | null;
  /** Id of the peer or person that started the session. */
  readonly startedBy: string;
  /** Name of the peer or person that started the session. */
  readonly starter: string;
  readonly startedAt: Date;
}

/** Inserts an audit session under the mesh's next number. Returns false if its id is taken. */
export async function insertAuditSession(tx: Transaction, session: NewAuditSession): Promise<boolean> {
  const [counter] = await tx
    .insert(auditCounters)
    .values({ meshId: session.meshId, lastSession: 1 })
    .onConflictDoUpdate({
      target: auditCounters.meshId,
      set: { lastSession: sql`${auditCounters.lastSession} + 1` },
    })
    .returning({ number: auditCounters.lastSession });
  if (!counter) throw new TypeError("The counter returned no number.");
  const inserted = await tx
    .insert(auditSessions)
    .values({ ...session, number: counter.number })
    .onConflictDoNothing({ target: [auditSessions.meshId, auditSessions.sessionId] })
    .returning({ number: auditSessions.number });
  return inserted.length === 1;
}

export interface AuditSessionRow {
  readonly sessionId: string;
  readonly number: number;
  readonly intent: string;
  readonly taskId: string | null;
  readonly starter: string | null;
  readonly startedAt: Date;
  readonly recordCount: number;
  readonly root: string | null;
  readonly finalizedAt: Date | null;
}

/** Lists a mesh's audit sessions, newest first. If `sessionId` is given, lists only that session. */
export async function listAuditSessions(
  db: Queryable,
  meshId: string,
  {
    sessionId,
    before,
    limit,
  }: { readonly sessionId: string | undefined; readonly before: number | undefined; readonly limit: number },
): Promise<AuditSessionRow[]> {
  const { number, intent, taskId, starter, startedAt, recordCount } = auditSessions;
  const { root, finalizedAt } = merkleRoots;
  return db
    .select({
      sessionId: auditSessions.sessionId,
      number,
      intent,
      taskId,
      starter,
      startedAt,
      recordCount,
      root,
      finalizedAt,
    })
    .from(auditSessions)
    .leftJoin(
      merkleRoots,
      and(eq(merkleRoots.meshId, auditSessions.meshId), eq(merkleRoots.sessionId, auditSessions.sessionId)),
    )
    .where(
      and(
        eq(auditSessions.meshId, meshId),
        sessionId === undefined ? undefined : eq(auditSessions.sessionId, sessionId),
        before === undefined ? undefined : lt(number, before),
      ),
    )
    .orderBy(desc(number))
    .limit(limit);
}

/** Finds the latest audit session that a peer or person has started. */
export async function findLastAuditSession(
  db: Queryable,
  meshId: string,
  startedBy: string,
): Promise<string | null> {
  const [row] = await db
    .select({ sessionId: auditSessions.sessionId })
    .from(auditSessions)
    .where(and(eq(auditSessions.meshId, meshId), eq(auditSessions.startedBy, startedBy)))
    .orderBy(desc(auditSessions.number))
    .limit(1);
  return row?.sessionId ?? null;
}

export async function hasAuditSession(
  db: Queryable,
  { meshId, sessionId }: AuditSessionKey,
): Promise<boolean> {
  const [row] = await db
    .select({ number: auditSessions.number })
    .from(auditSessions)
    .where(and(eq(auditSessions.meshId, meshId), eq(auditSessions.sessionId, sessionId)));
  return row !== undefined;
}

/**
 * Increments the session's record count and returns the new count. Returns null if the session does not
 * exist. Locks the session, so that it cannot be finalized until the transaction ends.
 */
export async function countRecordIn(
  tx: Transaction,
  { meshId, sessionId }: AuditSessionKey,
): Promise<{ recordCount: number; taskId: string | null } | null> {
  const [row] = await tx
    .update(auditSessions)
    .set({ recordCount: sql`${auditSessions.recordCount} + 1` })
    .where(and(eq(auditSessions.meshId, meshId), eq(auditSessions.sessionId, sessionId)))
    .returning({ recordCount: auditSessions.recordCount, taskId: auditSessions.taskId });
  return row ?? null;
}

/**
 * Locks an audit session until the transaction ends, so that no one else can add records to it or finalize
 * it. Returns false if the session does not exist.
 */
export async function lockAuditSession(
  tx: Transaction,
  { meshId, sessionId }: AuditSessionKey,
): Promise<boolean> {
  const [row] = await tx
    .select({ number: auditSessions.number })
    .from(auditSessions)
    .where(and(eq(auditSessions.meshId, meshId), eq(auditSessions.sessionId, sessionId)))
    .for("update");
  return row !== undefined;
}

export interface MerkleRootRow {
  readonly root: string;
  readonly recordCount: number;
  readonly finalizedAt: Date;
}

export async function findMerkleRoot(
  db: Queryable,
  { meshId, sessionId }: AuditSessionKey,
): Promise<MerkleRootRow | null> {
  const { root, recordCount, finalizedAt } = merkleRoots;
  const [row] = await db
    .select({ root, recordCount, finalizedAt })
    .from(merkleRoots)
    .where(and(eq(merkleRoots.meshId, meshId), eq(merkleRoots.sessionId, sessionId)));
  return row ?? null;
}

export async function insertMerkleRoot(tx: Transaction, row: AuditSessionKey & MerkleRootRow): Promise<void> {
  await tx.insert(merkleRoots).values(row);
}

/** Lists the hashes of a session's records, in the order in which the records were added. */
export async function listRecordHashes(
  db: Queryable,
  { meshId, sessionId }: AuditSessionKey,
): Promise<string[]> {
  const rows = await db
    .select({ hash: thoughtRecords.hash })
    .from(thoughtRecords)
    .where(and(eq(thoughtRecords.meshId, meshId), eq(thoughtRecords.sessionId, sessionId)))
    .orderBy(asc(thoughtRecords.number));
  return rows.map(({ hash }) => hash);
}

export type ThoughtRow = Omit<typeof thoughtRecords.$inferSelect, "meshId">;

const { meshId: _meshId, ...columns } = getTableColumns(thoughtRecords);

/** Assigns the mesh's next record number. Other callers wait for their numbers until the transaction ends. */
export async function drawRecordNumber(tx: Transaction, meshId: string): Promise<number> {
  const [counter] = await tx
    .insert(auditCounters)
    .values({ meshId, lastRecord: 1 })
    .onConflictDoUpdate({
      target: auditCounters.meshId,
      set: { lastRecord: sql`${auditCounters.lastRecord} + 1` },
    })
    .returning({ number: auditCounters.lastRecord });
  if (!counter) throw new TypeError("The counter returned no number.");
  return counter.number;
}

/**
 * Returns the hash of a task's last record, or null if the task has no records. To chain a new record to that
 * record, the caller must have drawn a record number in the same transaction, so that no other record can be
 * added in between.
 */
export async function findLastHash(
  tx: Transaction,
  { meshId, taskId }: { meshId: string; taskId: string },
): Promise<string | null> {
  const [row] = await tx
    .select({ hash: thoughtRecords.hash })
    .from(thoughtRecords)
    .where(and(eq(thoughtRecords.meshId, meshId), eq(thoughtRecords.taskId, taskId)))
    .orderBy(desc(thoughtRecords.number))
    .limit(1);
  return row?.hash ?? null;
}

export async function insertThought(tx: Transaction, meshId: string, row: ThoughtRow): Promise<void> {
  await tx.insert(thoughtRecords).values({ meshId, ...row });
}

/** Returns a record's hash. Returns null if the session does not contain the record. */
export async function findHashInSession(
  db: Queryable,
  { meshId, sessionId }: AuditSessionKey,
  id: string,
): Promise<string | null> {
  const [row] = await db
    .select({ hash: thoughtRecords.hash })
    .from(thoughtRecords)
    .where(
      and(
        eq(thoughtRecords.meshId, meshId),
        eq(thoughtRecords.id, id),
        eq(thoughtRecords.sessionId, sessionId),
      ),
    );
  return row?.hash ?? null;
}

export interface ThoughtPage {
  /** Number of the last record on the previous page. */
  readonly after: number;
  readonly limit: number;
}

/**
 * Lists the records of a session, of a task, or of a task within a session, in the order in which they were
 * added.
 */
export async function listThoughts(
  db: Queryable,
  meshId: string,
  {
    sessionId,
    taskId,
    after,
    limit,
  }: ThoughtPage & { sessionId: string | undefined; taskId: string | undefined },
): Promise<ThoughtRow[]> {
  return db
    .select(columns)
    .from(thoughtRecords)
    .where(
      and(
        eq(thoughtRecords.meshId, meshId),
        sessionId === undefined ? undefined : eq(thoughtRecords.sessionId, sessionId),
        taskId === undefined ? undefined : eq(thoughtRecords.taskId, taskId),
        gt(thoughtRecords.number, after),
      ),
    )
    .orderBy(asc(thoughtRecords.number))
    .limit(limit);
}

/**
 * Lists the records of every task that has records in this session, including those tasks' records in other
 * sessions. A task's chain can only be verified as a whole.
 */
export async function listThoughtsOfItsTasks(
  db: Queryable,
  { meshId, sessionId }: AuditSessionKey,
  { after, limit }: ThoughtPage,
): Promise<ThoughtRow[]> {
  const itsTasks = db
    .selectDistinct({ taskId: thoughtRecords.taskId })
    .from(thoughtRecords)
    .where(and(eq(thoughtRecords.meshId, meshId), eq(thoughtRecords.sessionId, sessionId)));
  return db
    .select(columns)
    .from(thoughtRecords)
    .where(
      and(
        eq(thoughtRecords.meshId, meshId),
        inArray(thoughtRecords.taskId, itsTasks),
        gt(thoughtRecords.number, after),
      ),
    )
    .orderBy(asc(thoughtRecords.number))
    .limit(limit);
}
