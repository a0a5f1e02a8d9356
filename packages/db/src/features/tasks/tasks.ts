import { and, asc, desc, eq, getTableColumns, gt, isNull, or, type SQL, sql } from "drizzle-orm";
import { feeds, messages, peers, sessions, tasks, teams } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

export type TaskRow = typeof tasks.$inferSelect & {
  /** Numbers from `blockedBy` whose tasks are neither done nor cancelled. */
  readonly waitsFor: readonly number[];
};

/** Identifies a task by its number within its session. */
export interface TaskKey {
  readonly sessionId: string;
  readonly number: number;
}

/** The peer that claims a task, with its display name. */
export interface TaskClaimer {
  readonly teamId: string;
  readonly peerId: string;
  readonly name: string;
}

/**
 * True if task `b` blocks the row of `tasks`. Column names are qualified, because both have the same columns.
 */
const isBlocker = sql.raw("b.session_id = tasks.session_id AND b.number = ANY (tasks.blocked_by)");
const isOver = sql.raw("b.state IN ('done', 'cancelled')");
/**
 * True if a task waits for a blocker. Most tasks have no blockers and need no lookup. Counts finished
 * blockers rather than unfinished ones: a statement that waited for the lock of a split sees the new list of
 * blockers, but not the new tasks.
 */
const waits = sql`(tasks.blocked_by <> '{}' AND cardinality(tasks.blocked_by) >
  (SELECT count(*) FROM ${tasks} b WHERE ${isBlocker} AND ${isOver}))`;

const columns = {
  ...getTableColumns(tasks),
  waitsFor: sql<number[]>`(SELECT coalesce(json_agg(b.number ORDER BY b.number), '[]') FROM ${tasks} b
    WHERE ${isBlocker} AND NOT ${isOver})`,
};

function isTask({ sessionId, number }: TaskKey): SQL | undefined {
  return and(eq(tasks.sessionId, sessionId), eq(tasks.number, number));
}

export async function findTask(db: Queryable, key: TaskKey): Promise<TaskRow | null> {
  const [row] = await db.select(columns).from(tasks).where(isTask(key));
  return row ?? null;
}

/** Locks a task until the transaction ends. Changes to it happen one after the other. */
export async function lockTask(tx: Transaction, key: TaskKey): Promise<TaskRow | null> {
  // Reads the task under the lock, so that its blockers are current.
  const [held] = await tx
    .select({ number: tasks.number })
    .from(tasks)
    .where(isTask(key))
    .for("no key update");
  return held ? findTask(tx, key) : null;
}

export type NewTask = Omit<typeof tasks.$inferInsert, "sessionId" | "number" | "state">;

/**
 * Adds tasks under the session's next numbers and returns them in that order. Other callers that add tasks or
 * change blockers wait until the transaction ends.
 */
export async function insertTasks(
  tx: Transaction,
  sessionId: string,
  added: readonly NewTask[],
): Promise<TaskRow[]> {
  const [counter] = await tx
    .update(sessions)
    .set({ lastTask: sql`${sessions.lastTask} + ${added.length}` })
    .where(eq(sessions.sessionId, sessionId))
    .returning({ last: sessions.lastTask });
  if (!counter) throw new TypeError("The session of the task was not found.");
  const first = counter.last - added.length + 1;
  await tx
    .insert(tasks)
    .values(
      added.map((task, index) => ({ ...task, sessionId, number: first + index, state: "open" as const })),
    );
  return tx
    .select(columns)
    .from(tasks)
    .where(and(eq(tasks.sessionId, sessionId), sql`${tasks.number} BETWEEN ${first} AND ${counter.last}`))
    .orderBy(asc(tasks.number));
}

export async function countUnfinishedTasks(db: Queryable, sessionId: string): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(tasks)
    .where(and(eq(tasks.sessionId, sessionId), isUnfinished));
  return row?.count ?? 0;
}

const isUnfinished = sql`${tasks.state} NOT IN ('done', 'cancelled')`;

export type TaskUpdate = Partial<Omit<typeof tasks.$inferInsert, "sessionId" | "number">>;

/** Changes a task and returns its new state. The caller must hold the lock on the task. */
export async function updateTaskRow(tx: Transaction, key: TaskKey, change: TaskUpdate): Promise<TaskRow> {
  const [row] = await tx
    .update(tasks)
    .set({ ...change, updatedAt: sql`now()` })
    .where(isTask(key))
    .returning(columns);
  if (!row) throw new TypeError("The locked task was not found.");
  return row;
}

/** The columns of a task without a holder. */
export const unheld = { holder: null, holderPeerId: null, claimedAt: null, renewedAt: null } as const;

/**
 * Claims the next ready task, preferably one assigned to the claimer, and returns it. Returns null if there
 * is none. Concurrent callers get different tasks, because rows locked by others are skipped.
 */
export async function claimNextTask(
  tx: Transaction,
  sessionId: string,
  claimer: TaskClaimer,
  label: string | undefined,
): Promise<TaskRow | null> {
  const labelled = label === undefined ? sql`` : sql` AND ${label} = ANY (${tasks.labels})`;
  // Each query walks an index and stops at the first match. The second runs only if the first finds nothing.
  const firstOf = (meant: SQL | undefined) => sql`(
    SELECT ${tasks.number} FROM ${tasks}
    WHERE ${tasks.sessionId} = ${sessionId} AND ${tasks.state} = 'open' AND ${meant} AND NOT ${waits}${labelled}
    ORDER BY ${tasks.number} LIMIT 1
    FOR NO KEY UPDATE OF ${tasks} SKIP LOCKED)`;
  const next = sql`coalesce(${firstOf(isMeantFor(claimer))}, ${firstOf(isNull(tasks.assigneeTeamId))})`;
  return claim(tx, sessionId, next, claimer);
}

/** Claims a task if it is ready and is unassigned or assigned to the claimer. Otherwise returns null. */
export async function claimTaskRow(
  tx: Transaction,
  { sessionId, number }: TaskKey,
  claimer: TaskClaimer,
): Promise<TaskRow | null> {
  return claim(tx, sessionId, sql`${number}`, claimer);
}

/** Compares the state within the UPDATE: reading it first would lose the race. */
async function claim(
  tx: Transaction,
  sessionId: string,
  number: SQL,
  claimer: TaskClaimer,
): Promise<TaskRow | null> {
  const [row] = await tx
    .update(tasks)
    .set({
      state: "claimed",
      fence: sql`${tasks.fence} + 1`,
      holder: claimer.name,
      holderPeerId: claimer.peerId,
      claimedAt: sql`now()`,
      renewedAt: sql`now()`,
      handedBackAt: null,
      updatedAt: sql`now()`,
    })
    .where(
      and(
        eq(tasks.sessionId, sessionId),
        sql`${tasks.number} = ${number}`,
        eq(tasks.state, "open"),
        isFor(claimer),
        sql`NOT ${waits}`,
      ),
    )
    .returning(columns);
  return row ?? null;
}

function isFor({ teamId, peerId }: Pick<TaskClaimer, "teamId" | "peerId">): SQL | undefined {
  return or(isNull(tasks.assigneeTeamId), isMeantFor({ teamId, peerId }));
}

function isMeantFor({ teamId, peerId }: Pick<TaskClaimer, "teamId" | "peerId">): SQL | undefined {
  return and(
    eq(tasks.assigneeTeamId, teamId),
    or(isNull(tasks.assigneePeerId), eq(tasks.assigneePeerId, peerId)),
  );
}

/**
 * Lists open tasks that `number` blocked and that have no unfinished blockers left. The caller must hold the
 * feed's lock: if two peers finish a task's last two blockers at the same time, the second then sees the
 * first's change.
 */
export async function listReadyAfter(tx: Transaction, { sessionId, number }: TaskKey): Promise<TaskRow[]> {
  return tx
    .select(columns)
    .from(tasks)
    .where(
      and(
        eq(tasks.sessionId, sessionId),
        eq(tasks.state, "open"),
        sql`${tasks.blockedBy} @> ARRAY[${number}::integer]`,
        sql`NOT ${waits}`,
      ),
    )
    .orderBy(asc(tasks.number));
}

/**
 * Returns the task in `blockedBy` that directly or indirectly waits for `number`, which would create a cycle.
 * Returns null if there is none.
 */
export async function findCircle(
  tx: Transaction,
  { sessionId, number }: TaskKey,
  blockedBy: readonly number[],
): Promise<number | null> {
  const [row] = await tx.execute<{ first: number }>(sql`
    WITH RECURSIVE chain AS (
      SELECT t.number AS first, t.number, t.blocked_by FROM ${tasks} t
      WHERE t.session_id = ${sessionId} AND t.number = ANY (${intArray(blockedBy)})
      UNION
      SELECT c.first, t.number, t.blocked_by FROM chain c
      JOIN ${tasks} t ON t.session_id = ${sessionId} AND t.number = ANY (c.blocked_by)
    )
    SELECT first FROM chain WHERE number = ${number} LIMIT 1`);
  return row?.first ?? null;
}

/** Returns the numbers that do not belong to a task of the session. */
export async function listUnknownTasks(
  tx: Transaction,
  sessionId: string,
  numbers: readonly number[],
): Promise<number[]> {
  if (numbers.length === 0) return [];
  const rows = await tx
    .select({ number: tasks.number })
    .from(tasks)
    .where(and(eq(tasks.sessionId, sessionId), sql`${tasks.number} = ANY (${intArray(numbers)})`));
  const known = new Set(rows.map(({ number }) => number));
  return numbers.filter((number) => !known.has(number));
}

/** Formats an array as text, because the driver does not load array types. */
function intArray(numbers: readonly number[]): SQL {
  return sql`${sql.param(`{${numbers.join(",")}}`)}::integer[]`;
}

export interface TaskFilter {
  readonly state: "unfinished" | "ready" | "blocked" | "all" | TaskRow["state"];
  /** Restricts the list to tasks that this peer holds or that are assigned to it. */
  readonly mine: Pick<TaskClaimer, "teamId" | "peerId"> | null;
  /** The peer for which tasks must be ready. Null for any peer. */
  readonly readyFor: Pick<TaskClaimer, "teamId" | "peerId"> | null;
  readonly label: string | undefined;
  readonly after: number;
  readonly limit: number;
}

/** Lists a session's tasks by number. */
export async function listTaskRows(
  db: Queryable,
  sessionId: string,
  { state, mine, readyFor, label, after, limit }: TaskFilter,
): Promise<TaskRow[]> {
  return db
    .select(columns)
    .from(tasks)
    .where(
      and(
        eq(tasks.sessionId, sessionId),
        gt(tasks.number, after),
        isIn(state),
        state === "ready" && readyFor ? isFor(readyFor) : undefined,
        mine ? or(eq(tasks.holderPeerId, mine.peerId), isMeantFor(mine)) : undefined,
        label === undefined ? undefined : sql`${label} = ANY (${tasks.labels})`,
      ),
    )
    .orderBy(asc(tasks.number))
    .limit(limit);
}

function isIn(state: TaskFilter["state"]): SQL | undefined {
  switch (state) {
    case "all":
      return undefined;
    case "unfinished":
      return isUnfinished;
    case "ready":
    case "open":
      return and(eq(tasks.state, "open"), sql`NOT ${waits}`);
    case "blocked":
      return and(eq(tasks.state, "open"), waits);
    default:
      return eq(tasks.state, state);
  }
}

/** Lists unfinished tasks of a mesh's open sessions, least recently updated first, and counts all of them. */
export async function listUnfinishedTasks(
  db: Queryable,
  meshId: string,
  limit: number,
): Promise<{ tasks: (TaskRow & { slug: string; sessionTitle: string })[]; total: number }> {
  const rows = await db
    .select({
      ...columns,
      slug: sessions.slug,
      sessionTitle: sessions.title,
      total: sql<number>`count(*) OVER ()::int`,
    })
    .from(tasks)
    .innerJoin(sessions, and(eq(sessions.sessionId, tasks.sessionId), eq(sessions.meshId, meshId)))
    .innerJoin(feeds, and(eq(feeds.sessionId, tasks.sessionId), isNull(feeds.closedAt)))
    .where(isUnfinished)
    .orderBy(asc(tasks.updatedAt), asc(tasks.number))
    .limit(limit);
  return { tasks: rows.map(({ total: _total, ...task }) => task), total: rows[0]?.total ?? 0 };
}

export interface HeldTask {
  readonly peerId: string;
  readonly number: number;
  readonly title: string;
  readonly claimedAt: Date;
}

/** Lists the claimed, unfinished tasks of a session, in the order in which they were claimed. */
export async function listHeldTasks(db: Queryable, sessionId: string): Promise<HeldTask[]> {
  const rows = await db
    .select({
      peerId: tasks.holderPeerId,
      number: tasks.number,
      title: tasks.title,
      claimedAt: tasks.claimedAt,
    })
    .from(tasks)
    .where(and(eq(tasks.sessionId, sessionId), eq(tasks.state, "claimed")))
    .orderBy(asc(tasks.claimedAt), asc(tasks.number));
  return rows.flatMap(({ peerId, claimedAt, ...task }) =>
    peerId === null || claimedAt === null ? [] : [{ ...task, peerId, claimedAt }],
  );
}

export interface TaskEventRow {
  readonly sequence: number;
  /** Canonical JSON. */
  readonly content: string;
}

/** Lists the feed's events about a task, newest first. */
export async function listTaskEvents(
  db: Queryable,
  { sessionId, number }: TaskKey,
  limit: number,
): Promise<TaskEventRow[]> {
  return db
    .select({ sequence: messages.sequence, content: messages.content })
    .from(messages)
    .where(
      and(
        eq(messages.sessionId, sessionId),
        eq(messages.kind, "task_changed"),
        sql`${messages.content}::json ->> 'task' = ${String(number)}`,
      ),
    )
    .orderBy(desc(messages.sequence))
    .limit(limit);
}

/** Lists the current peers of these teams, in addition to the given peers. */
export async function listTaskReaders(
  db: Queryable,
  sessionId: string,
  { teamIds, peerIds }: { readonly teamIds: readonly string[]; readonly peerIds: readonly string[] },
): Promise<string[]> {
  if (teamIds.length === 0) return [...peerIds];
  const rows = await db
    .select({ peerId: peers.peerId })
    .from(peers)
    .innerJoin(teams, and(eq(teams.sessionId, peers.sessionId), eq(teams.teamId, peers.teamId)))
    .where(
      and(
        eq(peers.sessionId, sessionId),
        isNull(peers.leftAt),
        isNull(teams.leftAt),
        sql`${peers.teamId} = ANY (${sql.param(`{${teamIds.join(",")}}`)}::uuid[])`,
      ),
    );
  return [...new Set([...peerIds, ...rows.map(({ peerId }) => peerId)])];
}

/** Removes redacted texts from a task, if the task still has them. */
export async function forgetTaskTexts(
  tx: Transaction,
  key: TaskKey,
  told: { readonly title: string; readonly text?: string | undefined; readonly result?: string | undefined },
): Promise<void> {
  await tx.execute(sql`
    UPDATE ${tasks} SET
      title = CASE WHEN title = ${told.title} THEN '(removed)' ELSE title END,
      text = CASE WHEN text = ${told.text ?? null} THEN '' ELSE text END,
      result = CASE WHEN result = ${told.result ?? null} THEN NULL ELSE result END
    WHERE session_id = ${key.sessionId} AND number = ${key.number}`);
}
