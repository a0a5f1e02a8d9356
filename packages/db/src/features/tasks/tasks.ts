import { and, asc, desc, eq, gt, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { feeds, messages, peers, sessions, tasks, teams } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";
import { type StoredTask, taskColumns } from "./task-columns.js";

export type TaskRow = StoredTask & {
  /** Numbers of the tasks in `blockedBy` that are neither done nor cancelled. */
  readonly waitsFor: readonly number[];
};

/** Identifies a task by its number within its session. */
export interface TaskKey {
  readonly sessionId: string;
  readonly number: number;
}

/** The peer that claims a task, with the peer's display name. */
export interface TaskClaimer {
  readonly teamId: string;
  readonly peerId: string;
  readonly name: string;
}

/**
 * Condition that task `b` blocks a row of `tasks`. The column names are qualified, because both are rows of
 * the same table.
 */
const isBlocker = sql.raw("b.session_id = tasks.session_id AND b.number = ANY (tasks.blocked_by)");
const isOver = sql.raw("b.state IN ('done', 'cancelled')");
/**
 * Condition that a task waits for a blocker. Most tasks have no blockers and need no lookup. Counts finished
 * blockers rather than unfinished ones: if a statement has waited for the lock while another caller split a
 * blocker, it sees the new list of blockers but not yet the new tasks.
 */
const waits = sql`(tasks.blocked_by <> '{}' AND cardinality(tasks.blocked_by) >
  (SELECT count(*) FROM ${tasks} b WHERE ${isBlocker} AND ${isOver}))`;

const columns = {
  ...taskColumns,
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

/** Locks a task until the transaction ends, so that changes to the task happen one after another. */
export async function lockTask(tx: Transaction, key: TaskKey): Promise<TaskRow | null> {
  // Locks first and reads the task in a second statement, so that its blockers are current.
  const [row] = await tx.select({ number: tasks.number }).from(tasks).where(isTask(key)).for("no key update");
  return row ? findTask(tx, key) : null;
}

export type NewTask = Omit<typeof tasks.$inferInsert, "sessionId" | "number" | "state" | "words">;

/**
 * Inserts tasks under the session's next numbers, and returns them in order. Other callers that insert tasks
 * or change blockers wait until the transaction ends.
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

export type TaskUpdate = Partial<Omit<typeof tasks.$inferInsert, "sessionId" | "number" | "words">>;

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

/** The columns that a task has when it has no holder. */
export const noHolder = { holder: null, holderPeerId: null, claimedAt: null, renewedAt: null } as const;

/**
 * Finds and locks the next ready task except for the given ones. Returns null if no task is ready. Prefers a
 * task assigned to the claimer. Skips rows that others have locked.
 */
export async function lockNextTask(
  tx: Transaction,
  sessionId: string,
  claimer: TaskClaimer,
  { label, except }: { readonly label: string | undefined; readonly except: readonly number[] },
): Promise<Pick<TaskRow, "number" | "files"> | null> {
  const labelled = label === undefined ? sql`` : sql` AND ${label} = ANY (${tasks.labels})`;
  const others = except.length === 0 ? sql`` : sql` AND ${tasks.number} <> ALL (${toIntArray(except)})`;
  // Each of the two queries walks an index and stops at its first match. The second query runs only if the
  // first one finds nothing.
  const selectFirst = (condition: SQL | undefined) => sql`(
    SELECT ${tasks.number} FROM ${tasks}
    WHERE ${tasks.sessionId} = ${sessionId} AND ${tasks.state} = 'open' AND ${condition} AND NOT ${waits}${labelled}${others}
    ORDER BY ${tasks.number} LIMIT 1
    FOR NO KEY UPDATE OF ${tasks} SKIP LOCKED)`;
  const next = sql`coalesce(${selectFirst(isAssignedTo(claimer))}, ${selectFirst(isNull(tasks.assigneeTeamId))})`;
  const [row] = await tx
    .select({ number: tasks.number, files: tasks.files })
    .from(tasks)
    .where(and(eq(tasks.sessionId, sessionId), sql`${tasks.number} = ${next}`));
  return row ?? null;
}

/**
 * Claims a task if it is ready, and either unassigned or assigned to the claimer. Returns null otherwise.
 * Checks the state within the UPDATE, because another caller could claim the task between a separate check
 * and the UPDATE.
 */
export async function claimTaskRow(
  tx: Transaction,
  key: TaskKey,
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
    .where(and(isTask(key), eq(tasks.state, "open"), isOpenTo(claimer), sql`NOT ${waits}`))
    .returning(columns);
  return row ?? null;
}

function isOpenTo({ teamId, peerId }: Pick<TaskClaimer, "teamId" | "peerId">): SQL | undefined {
  return or(isNull(tasks.assigneeTeamId), isAssignedTo({ teamId, peerId }));
}

function isAssignedTo({ teamId, peerId }: Pick<TaskClaimer, "teamId" | "peerId">): SQL | undefined {
  return and(
    eq(tasks.assigneeTeamId, teamId),
    or(isNull(tasks.assigneePeerId), eq(tasks.assigneePeerId, peerId)),
  );
}

/**
 * Lists open tasks that `number` blocked and that have no unfinished blockers left. The caller must hold the
 * feed's lock. If two peers finish the last two blockers of a task at the same time, the second one then sees
 * the first one's change.
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
 * Returns whether peers other than its creator have claimed other tasks of the same creator. The caller must hold the
 * feed's lock. If two peers finish their tasks at the same time, the second one then sees the first one's change.
 */
export async function hasOthersAtWork(
  tx: Transaction,
  { sessionId, number, createdByPeerId }: Pick<TaskRow, "sessionId" | "number" | "createdByPeerId">,
): Promise<boolean> {
  const [row] = await tx
    .select({ number: tasks.number })
    .from(tasks)
    .where(
      and(
        eq(tasks.sessionId, sessionId),
        eq(tasks.state, "claimed"),
        eq(tasks.createdByPeerId, createdByPeerId),
        ne(tasks.number, number),
        ne(tasks.holderPeerId, createdByPeerId),
      ),
    )
    .limit(1);
  return row !== undefined;
}

/**
 * Finds a task in `blockedBy` that directly or indirectly waits for `number`, so that blocking `number` by it
 * would create a cycle. Returns null if there is none.
 */
export async function findCycle(
  tx: Transaction,
  { sessionId, number }: TaskKey,
  blockedBy: readonly number[],
): Promise<number | null> {
  const [row] = await tx.execute<{ first: number }>(sql`
    WITH RECURSIVE chain AS (
      SELECT t.number AS first, t.number, t.blocked_by FROM ${tasks} t
      WHERE t.session_id = ${sessionId} AND t.number = ANY (${toIntArray(blockedBy)})
      UNION
      SELECT c.first, t.number, t.blocked_by FROM chain c
      JOIN ${tasks} t ON t.session_id = ${sessionId} AND t.number = ANY (c.blocked_by)
    )
    SELECT first FROM chain WHERE number = ${number} LIMIT 1`);
  return row?.first ?? null;
}

/** Returns which of the given numbers do not belong to any task in the session. */
export async function listUnknownTasks(
  tx: Transaction,
  sessionId: string,
  numbers: readonly number[],
): Promise<number[]> {
  if (numbers.length === 0) return [];
  const rows = await tx
    .select({ number: tasks.number })
    .from(tasks)
    .where(and(eq(tasks.sessionId, sessionId), sql`${tasks.number} = ANY (${toIntArray(numbers)})`));
  const known = new Set(rows.map(({ number }) => number));
  return numbers.filter((number) => !known.has(number));
}

/** Formats numbers as an array literal, because the driver does not load array types. */
function toIntArray(numbers: readonly number[]): SQL {
  return sql`${sql.param(`{${numbers.join(",")}}`)}::integer[]`;
}

export interface TaskFilter {
  readonly state: "unfinished" | "ready" | "blocked" | "all" | TaskRow["state"];
  /** Restricts the list to tasks that this peer holds or that are assigned to it. Null for no restriction. */
  readonly mine: Pick<TaskClaimer, "teamId" | "peerId"> | null;
  /** If the state is `ready`, restricts the list to tasks that this peer could claim. Null for any peer. */
  readonly readyFor: Pick<TaskClaimer, "teamId" | "peerId"> | null;
  readonly label: string | undefined;
}

/** A page of a filtered list. */
export interface TaskPage extends TaskFilter {
  readonly order: "oldest" | "newest";
  /** The last number of the previous page. 0 for the first page. */
  readonly after: number;
  readonly limit: number;
}

/** Lists a session's tasks, ordered by number. */
export async function listTaskRows(
  db: Queryable,
  sessionId: string,
  { order, after, limit, ...filter }: TaskPage,
): Promise<TaskRow[]> {
  const [sorted, isNext] =
    order === "oldest"
      ? [asc(tasks.number), gt(tasks.number, after)]
      : [desc(tasks.number), after === 0 ? undefined : lt(tasks.number, after)];
  return db
    .select(columns)
    .from(tasks)
    .where(and(matches(sessionId, filter), isNext))
    .orderBy(sorted)
    .limit(limit);
}

export async function countTasks(db: Queryable, sessionId: string, filter: TaskFilter): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(tasks)
    .where(matches(sessionId, filter));
  return row?.count ?? 0;
}

function matches(sessionId: string, { state, mine, readyFor, label }: TaskFilter): SQL | undefined {
  return and(
    eq(tasks.sessionId, sessionId),
    isIn(state),
    state === "ready" && readyFor ? isOpenTo(readyFor) : undefined,
    mine ? or(eq(tasks.holderPeerId, mine.peerId), isAssignedTo(mine)) : undefined,
    label === undefined ? undefined : sql`${label} = ANY (${tasks.labels})`,
  );
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

/**
 * Lists unfinished tasks in a mesh's open sessions whose title, text or labels contain each of the words, least
 * recently updated first. Also counts those beyond the limit.
 */
export async function listUnfinishedTasks(
  db: Queryable,
  meshId: string,
  { words, limit }: { readonly words: readonly string[]; readonly limit: number },
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
    .where(and(isUnfinished, ...words.map(contains)))
    .orderBy(asc(tasks.updatedAt), asc(tasks.number))
    .limit(limit);
  return { tasks: rows.map(({ total: _total, ...task }) => task), total: rows[0]?.total ?? 0 };
}

function contains(word: string): SQL {
  return sql`strpos(lower(concat_ws(' ', ${tasks.title}, ${tasks.text}, array_to_string(${tasks.labels}, ' '))), lower(${word})) > 0`;
}

export interface HeldTask {
  readonly peerId: string;
  readonly number: number;
  readonly title: string;
  readonly claimedAt: Date;
}

/** Lists a session's claimed and unfinished tasks, in the order in which they were claimed. */
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
  /** The event's content as canonical JSON. */
  readonly content: string;
}

/** Lists the events about a task in its session's feed, newest first. */
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

/** Lists the given peers and the current peers of these teams. */
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

/** Removes texts from a task if they are still the ones that were redacted. */
export async function redactTaskTexts(
  tx: Transaction,
  key: TaskKey,
  texts: { readonly title: string; readonly text?: string | undefined; readonly result?: string | undefined },
): Promise<void> {
  await tx.execute(sql`
    UPDATE ${tasks} SET
      title = CASE WHEN title = ${texts.title} THEN '(removed)' ELSE title END,
      text = CASE WHEN text = ${texts.text ?? null} THEN '' ELSE text END,
      result = CASE WHEN result = ${texts.result ?? null} THEN NULL ELSE result END
    WHERE session_id = ${key.sessionId} AND number = ${key.number}`);
}
