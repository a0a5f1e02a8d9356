import { and, asc, desc, eq, getTableColumns, gt, inArray, sql } from "drizzle-orm";
import { auditCounters, thoughtRecords } from "../core/schema.js";
import type { Queryable, Transaction } from "../start/open-database.js";
import type { AuditSessionKey } from "./audit-sessions.js";

export type ThoughtRow = Omit<typeof thoughtRecords.$inferSelect, "meshId">;

const { meshId: _meshId, ...columns } = getTableColumns(thoughtRecords);

/** Draws the next number of the mesh's records. Until the transaction ends, others wait here for theirs. */
export async function drawRecordNumber(tx: Transaction, meshId: string): Promise<number> {
  const [counter] = await tx
    .insert(auditCounters)
    .values({ meshId, lastRecord: 1 })
    .onConflictDoUpdate({
      target: auditCounters.meshId,
      set: { lastRecord: sql`${auditCounters.lastRecord} + 1` },
    })
    .returning({ number: auditCounters.lastRecord });
  if (!counter) throw new TypeError("A counter gave no number.");
  return counter.number;
}

/**
 * The hash of a task's last record, or null before its first. Only who has drawn a number and not ended the transaction may
 * chain to it: nobody else adds one meanwhile.
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

/** The record's hash, when it is in that session. */
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
  /** The last number of the page before. */
  readonly after: number;
  readonly limit: number;
}

/** Lists the records of a session, a task, or a task in a session, in the order in which they came. */
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

/** Lists the records of all tasks that a session has records of, those of other sessions too: a chain is whole or no chain. */
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
