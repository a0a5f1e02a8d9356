import { and, eq, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { dismissals, feeds, messages, peers, persons, sessions, teams } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";
import { selectUnanswered } from "../feed/asks.js";

/** Where to search for facts: in all or some of a mesh's open sessions, and optionally in its files. */
export interface FactScope {
  readonly meshId: string;
  readonly sessionIds?: readonly string[] | undefined;
  readonly includesFiles: boolean;
  /** Maximum number of facts per kind. If there are more, the oldest are returned. */
  readonly limit: number;
}

/** A fact about a session that a human should attend to. */
export interface SessionFact {
  readonly sessionId: string;
  readonly slug: string;
  readonly title: string;
  readonly sourcePath: null;
  readonly since: Date;
}

/** A fact about a file that does not belong to a session. */
export interface FileFact {
  readonly sessionId: null;
  readonly slug: null;
  readonly title: null;
  /** Path of the file, as `root/path`. */
  readonly sourcePath: string;
  readonly since: Date;
}

/** A fact that concerns the whole mesh. */
export interface MeshFact {
  readonly sessionId: null;
  readonly slug: null;
  readonly title: null;
  readonly sourcePath: null;
  readonly since: Date;
}

export type SourceFact = SessionFact | FileFact;

export interface AskFact extends SessionFact {
  readonly sequence: number;
  readonly peerId: string | null;
  readonly team: string;
  readonly peer: string | null;
  /** Whether a human is among the recipients of an agent's ask. False for an unanswered ask to agents. */
  readonly toHumans: boolean;
  readonly unanswered: boolean;
}

/**
 * Lists asks that have been neither answered nor redacted: those of agents to humans, and for their author's
 * person the unanswered ones, to any recipient.
 *
 * @param personId - if given, asks addressed only to other people, or unanswered ones of others, are left out
 */
export async function listOpenAsks(
  db: Queryable,
  scope: FactScope,
  { personId, unansweredBefore }: { readonly personId: string | null; readonly unansweredBefore: Date },
): Promise<AskFact[]> {
  const anyone = personId === null ? sql`` : sql` AND t.person_id = ${personId}`;
  const own = personId === null ? sql`` : sql` AND ${selectIsOwnAsk(personId)}`;
  // OFFSET 0 prevents the planner from scanning all messages when it has no statistics.
  const rows = await db.execute<FactRow<AskFact>>(sql`
    SELECT ${sessionFactColumns}, m.sequence::float8 AS sequence, m.posted_by_peer_id AS "peerId", m.author_team AS team, m.author_peer AS peer, m.to_humans AS "toHumans", m.unanswered, ${selectSinceMs(sql`m.posted_at`)}
    FROM ${fromOpenSessions(scope)} AND f.last_chat_sequence > 0
    CROSS JOIN LATERAL (
      SELECT m.sequence, m.posted_by_peer_id, m.author_team, m.author_peer, m.posted_at, u.unanswered, h.to_humans
      FROM ${messages} m CROSS JOIN LATERAL (SELECT ${selectUnanswered(sql`m`, unansweredBefore)} AS unanswered) u
      CROSS JOIN LATERAL (
        SELECT NOT m.author_human AND (m.reaches IS NULL OR coalesce('@humans' = ANY (m.recipients), false) OR EXISTS (
          SELECT FROM ${peers} p JOIN ${teams} t ON t.session_id = p.session_id AND t.team_id = p.team_id
          WHERE p.session_id = m.session_id AND p.peer_id = ANY (m.reaches) AND t.kind <> 'agent'${anyone})) AS to_humans) h
      WHERE m.session_id = f.session_id AND m.kind = 'ask' AND m.salt IS NOT NULL
        AND NOT EXISTS (SELECT FROM ${messages} a WHERE a.session_id = m.session_id AND a.answers = m.sequence)
        AND (h.to_humans OR u.unanswered${own})
      OFFSET 0) m
    ORDER BY m.posted_at, s.session_id, m.sequence LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

/** Selects whether a person posted the ask `m`, or may have started the agent that did: no one else is known to have. */
function selectIsOwnAsk(personId: string): SQL {
  return sql`EXISTS (SELECT FROM ${teams} t WHERE t.session_id = m.session_id AND t.team_id = m.posted_by_team_id
    AND (t.person_id = ${personId} OR t.kind = 'agent' AND (t.member_id IS NULL OR t.member_id = (
      SELECT member_id FROM ${persons} WHERE mesh_id = s.mesh_id AND person_id = ${personId}))))`;
}

export interface AskKey {
  readonly sessionId: string;
  readonly sequence: number;
}

/**
 * Reads the texts and options of asks, in no particular order. Texts are truncated to `charsMax` characters.
 */
export async function readAskContents(
  db: Queryable,
  asks: readonly AskKey[],
  charsMax: number,
): Promise<(AskKey & { readonly text: string; readonly options: readonly string[] })[]> {
  if (asks.length === 0) return [];
  const keys = asks.map(({ sessionId, sequence }) => ({ session_id: sessionId, sequence }));
  const rows = await db.execute<Record<string, unknown> & AskKey & { text: string; options: string[] }>(sql`
    SELECT m.session_id AS "sessionId", m.sequence::float8 AS sequence,
           left(coalesce(c.content ->> 'text', ''), ${charsMax}) AS text,
           coalesce(c.content -> 'options', '[]') AS options
    FROM json_to_recordset(${JSON.stringify(keys)}::text::json) AS k (session_id uuid, sequence bigint)
    JOIN ${messages} m ON m.session_id = k.session_id AND m.sequence = k.sequence
    CROSS JOIN LATERAL (SELECT m.content::json AS content OFFSET 0) c`);
  return [...rows];
}

export interface BlockedFact extends SessionFact {
  readonly peerId: string;
  readonly team: string;
  readonly peer: string | null;
  readonly reason: string;
}

/** Lists current peers that have declared that they are blocked. */
export async function listBlockedPeers(db: Queryable, scope: FactScope): Promise<BlockedFact[]> {
  const rows = await db.execute<FactRow<BlockedFact>>(sql`
    SELECT ${sessionFactColumns}, p.peer_id AS "peerId", t.name AS team, p.name AS peer,
           coalesce(p.declared_reason, '') AS reason, ${selectSinceMs(sql`p.declared_at`)}
    FROM ${fromOpenSessions(scope)}
    JOIN ${peers} p ON p.session_id = f.session_id AND p.declared_status = 'blocked' AND p.left_at IS NULL
    JOIN ${teams} t ON t.session_id = p.session_id AND t.team_id = p.team_id AND t.left_at IS NULL
    ORDER BY p.declared_at, p.peer_id LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

export interface HeldFact extends SessionFact {
  readonly heldBy: string;
  readonly reason: string;
}

/** Lists the sessions that a human holds. */
export async function listHeldSessions(db: Queryable, scope: FactScope): Promise<HeldFact[]> {
  const rows = await db.execute<FactRow<HeldFact>>(sql`
    SELECT ${sessionFactColumns}, coalesce(s.held_by, '') AS "heldBy", coalesce(s.hold_reason, '') AS reason, ${selectSinceMs(sql`f.held_at`)}
    FROM ${fromOpenSessions(scope)}
    WHERE f.held_at IS NOT NULL
    ORDER BY f.held_at, s.session_id LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

export interface BudgetSpentFact extends SessionFact {
  /** Total number of messages by agents. It does not change while the budget is used up. */
  readonly agentMessages: number;
}

/**
 * Lists sessions with a used-up message budget, in which agents can only post again after a human has.
 * `since` is the time of the last chat message.
 */
export async function listBudgetSpentSessions(db: Queryable, scope: FactScope): Promise<BudgetSpentFact[]> {
  const rows = await db.execute<FactRow<BudgetSpentFact>>(sql`
    SELECT ${sessionFactColumns}, f.agent_messages::float8 AS "agentMessages", ${selectSinceMs(sql`coalesce(m.posted_at, s.updated_at)`)}
    FROM ${fromOpenSessions(scope)}
    LEFT JOIN ${messages} m ON m.session_id = f.session_id AND m.sequence = f.last_chat_sequence
    WHERE f.message_budget > 0 AND f.agent_messages - f.agent_messages_at_human >= f.message_budget
    ORDER BY m.posted_at, s.session_id LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

export interface BudgetNearFact extends SessionFact {
  readonly text: string;
}

/** Lists sessions whose token budget is nearly used up, if no human has let the agents continue yet. */
export async function listBudgetNearSessions(db: Queryable, scope: FactScope): Promise<BudgetNearFact[]> {
  const rows = await db.execute<FactRow<BudgetNearFact>>(sql`
    SELECT ${sessionFactColumns}, s.tokens_near AS text, ${selectSinceMs(sql`s.tokens_near_at`)}
    FROM ${fromOpenSessions(scope)}
    WHERE s.tokens_near_at IS NOT NULL
    ORDER BY s.tokens_near_at, s.session_id LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

/**
 * Lists sessions with chat messages in which no one has posted or polled since `before`. Polls that have not
 * been saved yet are not considered.
 */
export async function listSilentSessions(
  db: Queryable,
  scope: FactScope,
  before: Date,
  /** Ids of the other running nodes. A peer that polls on one of them is waiting for messages. */
  otherNodes: ReadonlySet<string>,
): Promise<SessionFact[]> {
  const nodes = sql`(SELECT json_array_elements_text(${JSON.stringify([...otherNodes])}::text::json))`;
  const isElsewhere = sql`p.held_node::text IN ${nodes} OR p.polling_node::text IN ${nodes}
    OR EXISTS (SELECT FROM jsonb_object_keys(p.here) AS h (node) WHERE h.node IN ${nodes})`;
  const silentBefore = sql`${before.toISOString()}::timestamptz`;
  const spoken = sql`coalesce(f.last_posted_at, s.created_at)`;
  const rows = await db.execute<FactRow<SessionFact>>(sql`
    SELECT ${sessionFactColumns}, ${selectSinceMs(sql`greatest(${spoken}, max(p.last_polled_at))`)}
    FROM ${fromOpenSessions(scope)}
    LEFT JOIN ${peers} p ON p.session_id = f.session_id
    WHERE ${spoken} < ${silentBefore} AND f.last_chat_sequence > 0
    GROUP BY s.session_id, f.session_id
    HAVING coalesce(max(p.last_polled_at) < ${silentBefore}, true)
       AND coalesce(bool_or(${isElsewhere}), false) IS FALSE
    ORDER BY since_ms, s.session_id LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

/** Lists sessions that were concluded after a given time. */
export async function listConcludedSessions(
  db: Queryable,
  meshId: string,
  after: Date,
): Promise<SessionFact[]> {
  const rows = await db.execute<FactRow<SessionFact>>(sql`
    SELECT ${sessionFactColumns}, ${selectSinceMs(sql`f.closed_at`)}
    FROM ${sessions} s JOIN ${feeds} f ON f.session_id = s.session_id
    WHERE s.mesh_id = ${meshId} AND f.closed_at > ${after.toISOString()}::timestamptz`);
  return rows.map(toFact);
}

/** Selects the oldest items about documents and, if the scope includes files, about files. */
export function selectOldest({ includesFiles, limit }: FactScope, ofDocuments: SQL, ofFiles: SQL): SQL {
  const all = includesFiles ? sql`(${ofDocuments}) UNION ALL (${ofFiles})` : ofDocuments;
  return sql`${all} ORDER BY since_ms, number LIMIT ${limit}`;
}

export const sessionFactColumns = sql`s.session_id AS "sessionId", s.slug, s.title, NULL::text AS "sourcePath"`;

/** Selects the columns of an item about a file. The columns for a session are null. */
export function selectFileColumns(row: SQL): SQL {
  return sql`NULL::uuid AS "sessionId", NULL::text AS slug, NULL::text AS title,
    ${row}.root || '/' || ${row}.path AS "sourcePath"`;
}

export function fromOpenSessions(scope: FactScope): SQL {
  return sql`${sessions} s JOIN ${feeds} f
    ON f.session_id = s.session_id AND f.closed_at IS NULL${buildScopeCondition(scope)}`;
}

export function buildScopeCondition({ meshId, sessionIds }: FactScope): SQL {
  const some = sessionIds && sql` AND s.session_id = ANY (${sql.param(`{${sessionIds.join(",")}}`)}::uuid[])`;
  return sql` AND s.mesh_id = ${meshId}${some ?? sql``}`;
}

/** Selects a time in milliseconds. The driver would lose precision if it parsed the time. */
export function selectSinceMs(time: SQL): SQL {
  return sql`(extract(epoch FROM ${time}) * 1000)::bigint AS since_ms`;
}

export type FactRow<Fact> = Fact extends unknown
  ? Omit<Fact, "since"> & { since_ms: string } & Record<string, unknown>
  : never;

export function toFact<Each extends { since_ms: string }>(row: Each): Each & { since: Date } {
  return { ...row, since: new Date(Number(row.since_ms)) };
}

/** An item that a person has dismissed, either until a given time or permanently. */
export interface Dismissal {
  readonly item: string;
  readonly until: Date | null;
}

export interface DismissalsKey {
  readonly meshId: string;
  readonly personId: string;
  /** Ids of the items, each once. */
  readonly items: readonly string[];
}

/** Lists the items that a person has dismissed, except those whose snooze has expired. */
export async function listDismissals(db: Queryable, meshId: string, personId: string): Promise<Dismissal[]> {
  return db
    .select({ item: dismissals.item, until: dismissals.until })
    .from(dismissals)
    .where(
      and(
        eq(dismissals.meshId, meshId),
        eq(dismissals.personId, personId),
        or(isNull(dismissals.until), sql`${dismissals.until} > now()`),
      ),
    );
}

export async function saveDismissals(
  tx: Queryable,
  { items, ...owner }: DismissalsKey,
  until: Date | null,
): Promise<void> {
  await tx
    .insert(dismissals)
    // Sorted, so that two calls that overlap lock the rows in the same order.
    .values(items.toSorted().map((item) => ({ ...owner, item, until })))
    .onConflictDoUpdate({
      target: [dismissals.meshId, dismissals.personId, dismissals.item],
      set: { until, at: sql`now()` },
    });
}

export async function deleteDismissals(
  tx: Queryable,
  { meshId, personId, items }: DismissalsKey,
): Promise<void> {
  await tx
    .delete(dismissals)
    .where(
      and(
        eq(dismissals.meshId, meshId),
        eq(dismissals.personId, personId),
        inArray(dismissals.item, [...items]),
      ),
    );
}

/** Lists the items that anyone has dismissed, ordered by name, starting after the previous page. */
export async function listDismissedItems(
  db: Queryable,
  meshId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ item: dismissals.item })
    .from(dismissals)
    .where(and(eq(dismissals.meshId, meshId), sql`${dismissals.item} > ${after}`))
    .orderBy(dismissals.item)
    .limit(limit);
  return rows.map(({ item }) => item);
}

/** Deletes everyone's dismissals of these items. */
export async function deleteDismissedItems(
  db: Queryable,
  meshId: string,
  items: readonly string[],
): Promise<void> {
  if (items.length === 0) return;
  await db.delete(dismissals).where(and(eq(dismissals.meshId, meshId), inArray(dismissals.item, [...items])));
}

/** Deletes snoozes that have expired. */
export async function deleteEndedSnoozes(db: Queryable, meshId: string): Promise<void> {
  await db.delete(dismissals).where(and(eq(dismissals.meshId, meshId), lt(dismissals.until, sql`now()`)));
}
