import {
  and,
  arrayContains,
  count,
  desc,
  eq,
  getTableColumns,
  gte,
  isNotNull,
  isNull,
  lt,
  type SQL,
  sql,
} from "drizzle-orm";
import { memories, memoryCounters, sessions } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";
import { selectMarked, selectMatch, selectRank, type TextMatch } from "../../text/text-query.js";

export interface MemoryRow {
  readonly number: number;
  readonly content: string;
  readonly tags: readonly string[];
  readonly rememberedBy: string;
  readonly sessionId: string | null;
  readonly slug: string | null;
  readonly rememberedAt: Date;
  readonly forgottenBy: string | null;
  readonly forgetReason: string | null;
  readonly forgottenAt: Date | null;
}

const { words: _words, meshId: _meshId, ...ownColumns } = getTableColumns(memories);
const columns = { ...ownColumns, slug: sessions.slug };
const ofSession = eq(sessions.sessionId, memories.sessionId);

export interface NewMemory {
  readonly meshId: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly rememberedBy: string;
  readonly sessionId: string | null;
  readonly rememberedAt: Date;
}

/**
 * Inserts a memory under the mesh's next number. Other callers wait for their numbers until the transaction
 * ends.
 */
export async function insertMemory(tx: Transaction, { tags, ...memory }: NewMemory): Promise<number> {
  const [counter] = await tx
    .insert(memoryCounters)
    .values({ meshId: memory.meshId, lastNumber: 1 })
    .onConflictDoUpdate({
      target: memoryCounters.meshId,
      set: { lastNumber: sql`${memoryCounters.lastNumber} + 1` },
    })
    .returning({ number: memoryCounters.lastNumber });
  if (!counter) throw new TypeError("The counter returned no number.");
  await tx.insert(memories).values({ ...memory, tags: [...tags], number: counter.number });
  return counter.number;
}

export async function findMemory(db: Queryable, meshId: string, number: number): Promise<MemoryRow | null> {
  const [row] = await db
    .select(columns)
    .from(memories)
    .leftJoin(sessions, ofSession)
    .where(and(eq(memories.meshId, meshId), eq(memories.number, number)));
  return row ?? null;
}

/** Selects the memories for a list or a search. */
export interface MemoryChoice {
  /** Only memories that have all of these tags. */
  readonly tags: readonly string[];
  /** Only memories by this author. */
  readonly by: string | undefined;
  /** Only memories stored at or after this time. */
  readonly since: Date | undefined;
  readonly sessionId: string | undefined;
}

export interface MemoryFilter extends MemoryChoice {
  readonly forgotten: boolean;
  /** Number of the last memory on the previous page. */
  readonly before: number | undefined;
  readonly limit: number;
}

/** Lists memories, newest first. */
export async function listMemories(
  db: Queryable,
  meshId: string,
  { forgotten, before, limit, ...choice }: MemoryFilter,
): Promise<MemoryRow[]> {
  return db
    .select(columns)
    .from(memories)
    .leftJoin(sessions, ofSession)
    .where(
      and(
        eq(memories.meshId, meshId),
        isChosen(choice),
        forgotten ? isNotNull(memories.forgottenAt) : isNull(memories.forgottenAt),
        before === undefined ? undefined : lt(memories.number, before),
      ),
    )
    .orderBy(desc(memories.number))
    .limit(limit);
}

/** Counts a session's memories, except forgotten ones. */
export async function countMemories(db: Queryable, meshId: string, sessionId: string): Promise<number> {
  const [row] = await db
    .select({ memories: count() })
    .from(memories)
    .where(and(eq(memories.meshId, meshId), eq(memories.sessionId, sessionId), isNull(memories.forgottenAt)));
  return row?.memories ?? 0;
}

export interface RecalledRow extends MemoryRow {
  readonly rank: number;
  readonly marked: string;
}

/**
 * Searches a mesh's memories, except forgotten ones. The best match comes first, and among equal matches the
 * newest.
 */
export async function recallMemories(
  db: Queryable,
  meshId: string,
  { match, limit, ...choice }: MemoryChoice & { readonly match: TextMatch; readonly limit: number },
): Promise<RecalledRow[]> {
  const rank = selectRank(match, sql`${memories.words}`).as("rank");
  return db
    .select({ ...columns, rank, marked: selectMarked(match, sql`${memories.content}`) })
    .from(memories)
    .leftJoin(sessions, ofSession)
    .where(
      and(
        eq(memories.meshId, meshId),
        isNull(memories.forgottenAt),
        isChosen(choice),
        selectMatch(match, {
          words: sql`${memories.words}`,
          text: sql`(${memories.content} || ' ' || array_to_string(${memories.tags}, ' '))`,
        }),
      ),
    )
    .orderBy(desc(rank), desc(memories.number))
    .limit(limit);
}

function isChosen({ tags, by, since, sessionId }: MemoryChoice): SQL | undefined {
  return and(
    tags.length === 0 ? undefined : arrayContains(memories.tags, [...tags]),
    by === undefined ? undefined : eq(memories.rememberedBy, by),
    since === undefined ? undefined : gte(memories.rememberedAt, since),
    sessionId === undefined ? undefined : eq(memories.sessionId, sessionId),
  );
}

/**
 * Changes the memory that `which` selects. Returns false if no memory is selected, for instance because it is
 * already forgotten.
 */
async function updateMemory(
  tx: Transaction,
  which: SQL | undefined,
  change: Partial<typeof memories.$inferInsert>,
): Promise<boolean> {
  const changed = await tx.update(memories).set(change).where(which).returning({ number: memories.number });
  return changed.length === 1;
}

/**
 * Marks a memory as forgotten. Returns false if the memory does not exist or is already forgotten. If two
 * callers race, exactly one succeeds.
 */
export async function hideMemory(
  tx: Transaction,
  meshId: string,
  number: number,
  { by, reason, at }: { by: string; reason: string; at: Date },
): Promise<boolean> {
  return updateMemory(
    tx,
    and(eq(memories.meshId, meshId), eq(memories.number, number), isNull(memories.forgottenAt)),
    { forgottenBy: by, forgetReason: reason, forgottenAt: at },
  );
}

/** Restores a forgotten memory. Returns false if the memory does not exist. */
export async function showMemory(tx: Transaction, meshId: string, number: number): Promise<boolean> {
  return updateMemory(tx, and(eq(memories.meshId, meshId), eq(memories.number, number)), {
    forgottenBy: null,
    forgetReason: null,
    forgottenAt: null,
  });
}

/** Replaces a memory's tags. Returns false if the memory does not exist. */
export async function replaceTags(
  tx: Transaction,
  meshId: string,
  number: number,
  tags: readonly string[],
): Promise<boolean> {
  return updateMemory(tx, and(eq(memories.meshId, meshId), eq(memories.number, number)), { tags: [...tags] });
}
