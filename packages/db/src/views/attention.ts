import { and, eq, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import {
  approvals,
  claims,
  dismissals,
  feeds,
  jobs,
  messages,
  peers,
  proposals,
  sessions,
  tasks,
  teams,
  topics,
} from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";
import type { JobRow } from "../work/jobs.js";

/** Where facts are looked for: in the open sessions of a mesh or in some of them, and in its files. */
export interface FactScope {
  readonly meshId: string;
  readonly sessionIds?: readonly string[] | undefined;
  readonly files: boolean;
  /** At most so many of a kind, the oldest. */
  readonly limit: number;
}

/** A fact of a session that waits for a human. */
export interface SessionFact {
  readonly sessionId: string;
  readonly slug: string;
  readonly title: string;
  readonly sourcePath: null;
  readonly since: Date;
}

/** One of a file, which is in no session. */
export interface FileFact {
  readonly sessionId: null;
  readonly slug: null;
  readonly title: null;
  /** Its root, a slash and its path. */
  readonly sourcePath: string;
  readonly since: Date;
}

/** One of the whole mesh. */
export interface MeshFact {
  readonly sessionId: null;
  readonly slug: null;
  readonly title: null;
  readonly sourcePath: null;
  readonly since: Date;
}

export type SourceFact = SessionFact | FileFact;

export interface ApprovalFact extends SessionFact {
  readonly number: number;
  readonly askedBy: string;
  readonly tool: string;
}

/**
 * Permissions that agents wait for.
 *
 * @param personId - whose agents' alone; undefined for everybody's, to tell which are there
 */
export async function listApprovalFacts(
  db: Queryable,
  scope: FactScope,
  personId: string | undefined,
): Promise<ApprovalFact[]> {
  const own = personId === undefined ? sql`` : sql` AND a.person_id = ${personId}`;
  const rows = await db.execute<Row<ApprovalFact>>(sql`
    SELECT ${ofSession}, a.number, a.asked_by AS "askedBy", a.tool, ${ms(sql`a.asked_at`)}
    FROM ${openSessions(scope)}
    JOIN ${approvals} a ON a.session_id = f.session_id AND a.state = 'waiting' AND a.expires_at > now()${own}
    ORDER BY a.asked_at, a.number LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

export interface AskFact extends SessionFact {
  readonly sequence: number;
  readonly team: string;
  readonly peer: string | null;
}

/**
 * Asks of agents that reach a human, and that nobody has answered or redacted.
 *
 * @param personId - leaves out those that are addressed to other people alone
 */
export async function listOpenAsks(
  db: Queryable,
  scope: FactScope,
  personId: string | null,
): Promise<AskFact[]> {
  const anyone = personId === null ? sql`` : sql` AND t.person_id = ${personId}`;
  // Without OFFSET 0 a planner that knows nothing of the tables yet would read all messages.
  const rows = await db.execute<Row<AskFact>>(sql`
    SELECT ${ofSession}, m.sequence::float8 AS sequence, m.author_team AS team, m.author_peer AS peer, ${ms(sql`m.posted_at`)}
    FROM ${openSessions(scope)} AND f.agent_messages > 0
    CROSS JOIN LATERAL (
      SELECT m.sequence, m.author_team, m.author_peer, m.posted_at
      FROM ${messages} m
      WHERE m.session_id = f.session_id AND m.kind = 'ask' AND NOT m.author_human AND m.salt IS NOT NULL
        AND NOT EXISTS (SELECT FROM ${messages} a WHERE a.session_id = m.session_id AND a.answers = m.sequence)
        AND (m.reaches IS NULL OR '@humans' = ANY (m.recipients) OR EXISTS (
          SELECT FROM ${peers} p JOIN ${teams} t ON t.session_id = p.session_id AND t.team_id = p.team_id
          WHERE p.session_id = m.session_id AND p.peer_id = ANY (m.reaches) AND t.kind <> 'agent'${anyone}))
      OFFSET 0) m
    ORDER BY m.posted_at, s.session_id, m.sequence LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

export interface AskKey {
  readonly sessionId: string;
  readonly sequence: number;
}

/** Reads the texts of some asks, cut at so many characters, and the answers that they offer; in no order. */
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

/** Peers that have declared themselves blocked, and are there. */
export async function listBlockedPeers(db: Queryable, scope: FactScope): Promise<BlockedFact[]> {
  const rows = await db.execute<Row<BlockedFact>>(sql`
    SELECT ${ofSession}, p.peer_id AS "peerId", t.name AS team, p.name AS peer,
           coalesce(p.declared_reason, '') AS reason, ${ms(sql`p.declared_at`)}
    FROM ${openSessions(scope)}
    JOIN ${peers} p ON p.session_id = f.session_id AND p.declared_status = 'blocked' AND p.left_at IS NULL
    JOIN ${teams} t ON t.session_id = p.session_id AND t.team_id = p.team_id AND t.left_at IS NULL
    ORDER BY p.declared_at, p.peer_id LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

export interface TaskFact extends SessionFact {
  readonly kind: "in_review" | "handed_back";
  /** Null for a thing that was claimed. */
  readonly number: number | null;
  /** The number of the claim, so that the next one's end is another fact. */
  readonly claim: number;
  /** The name of whoever did the task, or was the last to hold the task or thing. */
  readonly holder: string;
  /** A task's title, or what was claimed. */
  readonly text: string;
}

/**
 * Tasks that wait for a human's word that they are done, and what was handed back because its holder was gone: a task until it
 * is claimed again, a thing for a day.
 */
export async function listTaskFacts(db: Queryable, scope: FactScope): Promise<TaskFact[]> {
  const rows = await db.execute<Row<TaskFact>>(sql`
    SELECT ${ofSession}, CASE t.state WHEN 'open' THEN 'handed_back' ELSE 'in_review' END AS kind, t.number,
           t.fence AS claim, coalesce(t.holder, '') AS holder, t.title AS text,
           ${ms(sql`CASE t.state WHEN 'open' THEN t.handed_back_at ELSE t.updated_at END`)}
    FROM ${openSessions(scope)}
    JOIN ${tasks} t ON t.session_id = f.session_id
      AND (t.state = 'open' AND t.handed_back_at IS NOT NULL OR t.state = 'in_review')
    UNION ALL
    SELECT ${ofSession}, 'handed_back', NULL, c.number, c.holder, c.scope, ${ms(sql`c.handed_back_at`)}
    FROM ${openSessions(scope)}
    JOIN ${claims} c ON c.session_id = f.session_id AND c.handed_back_at IS NOT NULL
    ORDER BY since_ms LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

export interface HeldFact extends SessionFact {
  readonly heldBy: string;
  readonly reason: string;
}

/** Sessions that a human holds. */
export async function listHeldSessions(db: Queryable, scope: FactScope): Promise<HeldFact[]> {
  const rows = await db.execute<Row<HeldFact>>(sql`
    SELECT ${ofSession}, coalesce(s.held_by, '') AS "heldBy", coalesce(s.hold_reason, '') AS reason, ${ms(sql`f.held_at`)}
    FROM ${openSessions(scope)}
    WHERE f.held_at IS NOT NULL
    ORDER BY f.held_at, s.session_id LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

export interface SpentFact extends SessionFact {
  /** How many messages agents had posted in all; while the budget is spent it stays the same. */
  readonly agentMessages: number;
}

/** Sessions whose agents may say no more until a human does; since the last that was said. */
export async function listSpentSessions(db: Queryable, scope: FactScope): Promise<SpentFact[]> {
  const rows = await db.execute<Row<SpentFact>>(sql`
    SELECT ${ofSession}, f.agent_messages::float8 AS "agentMessages", ${ms(sql`coalesce(m.posted_at, s.updated_at)`)}
    FROM ${openSessions(scope)}
    LEFT JOIN ${messages} m ON m.session_id = f.session_id AND m.sequence = f.last_chat_sequence
    WHERE f.message_budget > 0 AND f.agent_messages - f.agent_messages_at_human >= f.message_budget
    ORDER BY m.posted_at, s.session_id LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

export interface NearFact extends SessionFact {
  readonly text: string;
}

/** Sessions in which a token budget is nearly used up, and no human has let agents go on since. */
export async function listNearSessions(db: Queryable, scope: FactScope): Promise<NearFact[]> {
  const rows = await db.execute<Row<NearFact>>(sql`
    SELECT ${ofSession}, s.tokens_near AS text, ${ms(sql`s.tokens_near_at`)}
    FROM ${openSessions(scope)}
    WHERE s.tokens_near_at IS NOT NULL
    ORDER BY s.tokens_near_at, s.session_id LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

/** Sessions in which something was said, and whose feed and peers' polls, as far as they are saved, have been silent since before a time. */
export async function listSilentSessions(
  db: Queryable,
  scope: FactScope,
  before: Date,
  /** The nodes that are there beside this one: who is at one of them waits for messages. */
  otherNodes: ReadonlySet<string>,
): Promise<SessionFact[]> {
  const nodes = sql`(SELECT json_array_elements_text(${JSON.stringify([...otherNodes])}::text::json))`;
  const isElsewhere = sql`p.held_node::text IN ${nodes} OR p.polling_node::text IN ${nodes}
    OR EXISTS (SELECT FROM jsonb_object_keys(p.here) AS h (node) WHERE h.node IN ${nodes})`;
  const silentBefore = sql`${before.toISOString()}::timestamptz`;
  const spoken = sql`coalesce(f.last_posted_at, s.created_at)`;
  const rows = await db.execute<Row<SessionFact>>(sql`
    SELECT ${ofSession}, ${ms(sql`greatest(${spoken}, max(p.last_polled_at))`)}
    FROM ${openSessions(scope)}
    LEFT JOIN ${peers} p ON p.session_id = f.session_id
    WHERE ${spoken} < ${silentBefore} AND f.last_chat_sequence > 0
    GROUP BY s.session_id, f.session_id
    HAVING coalesce(max(p.last_polled_at) < ${silentBefore}, true)
       AND coalesce(bool_or(${isElsewhere}), false) IS FALSE
    ORDER BY since_ms, s.session_id LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

export type ProposalFact = SourceFact & {
  readonly number: number;
  readonly proposalKind: "rewrite" | "conclusion";
  /** Null for an agent's. */
  readonly proposedBy: string | null;
  readonly added: number;
  readonly removed: number;
};

/** Proposals that a human can decide about: a closed session takes nothing but another conclusion. */
export async function listOpenProposals(db: Queryable, scope: FactScope): Promise<ProposalFact[]> {
  const open = (of: SQL, from: SQL) => sql`
    SELECT ${of}, p.number, p.kind AS "proposalKind", p.proposed_by AS "proposedBy", p.added, p.removed,
           ${ms(sql`p.proposed_at`)}
    FROM ${from} WHERE p.mesh_id = ${scope.meshId} AND p.status = 'open'`;
  const ofDocuments = open(
    ofSession,
    sql`${proposals} p JOIN ${sessions} s ON s.session_id = p.session_id${inScope(scope)}
      JOIN ${feeds} f ON f.session_id = s.session_id AND (f.closed_at IS NULL OR p.kind = 'conclusion')`,
  );
  const ofFiles = open(ofFile(sql`p`), sql`(SELECT * FROM ${proposals} WHERE session_id IS NULL) p`);
  const rows = await db.execute<Row<ProposalFact>>(oldestOf(scope, ofDocuments, ofFiles));
  return rows.map(toFact);
}

export type FailedJobFact = SourceFact & {
  readonly number: number;
  readonly jobKind: JobRow["kind"];
  readonly failure: JobRow["failure"];
  readonly exitCode: number | null;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
};

/** Jobs that failed, and that nobody has started anew: each the last of its source, and what it was for is still wanted. */
export async function listFailedJobs(db: Queryable, scope: FactScope): Promise<FailedJobFact[]> {
  const failed = (of: SQL, from: SQL) => sql`
    SELECT ${of}, j.number, j.kind AS "jobKind", j.failure, j.exit_code AS "exitCode", ${ms(sql`j.completed_at`)},
           (extract(epoch FROM j.started_at) * 1000)::bigint AS started_ms
    FROM ${from} LEFT JOIN ${topics} t ON t.mesh_id = j.mesh_id AND t.number = j.topic_id
    WHERE j.mesh_id = ${scope.meshId} AND j.status IN ('failed', 'timed_out') AND t.status IS DISTINCT FROM 'closed'
      AND NOT EXISTS (SELECT FROM ${jobs} l WHERE l.mesh_id = j.mesh_id AND l.source = j.source AND l.number > j.number)`;
  const ofDocuments = failed(
    ofSession,
    sql`${openSessions(scope)} JOIN ${jobs} j ON j.session_id = f.session_id`,
  );
  const ofFiles = failed(ofFile(sql`j`), sql`(SELECT * FROM ${jobs} WHERE session_id IS NULL) j`);
  const rows = await db.execute<Row<FailedJobFact> & { started_ms: string | null }>(
    oldestOf(scope, ofDocuments, ofFiles),
  );
  return rows.map(({ started_ms, ...row }) => {
    const fact = toFact(row);
    const startedAt = started_ms === null ? null : new Date(Number(started_ms));
    return { ...fact, startedAt, completedAt: fact.since };
  });
}

/** Sessions that were concluded after a moment. */
export async function listConcludedSessions(
  db: Queryable,
  meshId: string,
  after: Date,
): Promise<SessionFact[]> {
  const rows = await db.execute<Row<SessionFact>>(sql`
    SELECT ${ofSession}, ${ms(sql`f.closed_at`)}
    FROM ${sessions} s JOIN ${feeds} f ON f.session_id = s.session_id
    WHERE s.mesh_id = ${meshId} AND f.closed_at > ${after.toISOString()}::timestamptz`);
  return rows.map(toFact);
}

/** The oldest of what documents have and, where files are looked at as well, what those have. */
function oldestOf({ files, limit }: FactScope, ofDocuments: SQL, ofFiles: SQL): SQL {
  const all = files ? sql`(${ofDocuments}) UNION ALL (${ofFiles})` : ofDocuments;
  return sql`${all} ORDER BY since_ms, number LIMIT ${limit}`;
}

export const ofSession = sql`s.session_id AS "sessionId", s.slug, s.title, NULL::text AS "sourcePath"`;

/** An item of no session is of a file. */
function ofFile(row: SQL): SQL {
  return sql`NULL::uuid AS "sessionId", NULL::text AS slug, NULL::text AS title,
    ${row}.root || '/' || ${row}.path AS "sourcePath"`;
}

export function openSessions(scope: FactScope): SQL {
  return sql`${sessions} s JOIN ${feeds} f
    ON f.session_id = s.session_id AND f.closed_at IS NULL${inScope(scope)}`;
}

function inScope({ meshId, sessionIds }: FactScope): SQL {
  const some = sessionIds && sql` AND s.session_id = ANY (${sql.param(`{${sessionIds.join(",")}}`)}::uuid[])`;
  return sql` AND s.mesh_id = ${meshId}${some ?? sql``}`;
}

/** A time as the driver would not lose a digit of it. */
export function ms(time: SQL): SQL {
  return sql`(extract(epoch FROM ${time}) * 1000)::bigint AS since_ms`;
}

export type Row<Fact> = Fact extends unknown
  ? Omit<Fact, "since"> & { since_ms: string } & Record<string, unknown>
  : never;

export function toFact<Each extends { since_ms: string }>(row: Each): Each & { since: Date } {
  return { ...row, since: new Date(Number(row.since_ms)) };
}

/** Something that a person has put away, until a time or for good. */
export interface Dismissal {
  readonly item: string;
  readonly until: Date | null;
}

export interface DismissalKey {
  readonly meshId: string;
  readonly personId: string;
  readonly item: string;
}

/** Lists the items that a person has put away now; a snooze whose time is over is none any more. */
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

export async function saveDismissal(tx: Queryable, key: DismissalKey, until: Date | null): Promise<void> {
  await tx
    .insert(dismissals)
    .values({ ...key, until })
    .onConflictDoUpdate({
      target: [dismissals.meshId, dismissals.personId, dismissals.item],
      set: { until, at: sql`now()` },
    });
}

export async function deleteDismissal(
  tx: Queryable,
  { meshId, personId, item }: DismissalKey,
): Promise<void> {
  await tx
    .delete(dismissals)
    .where(and(eq(dismissals.meshId, meshId), eq(dismissals.personId, personId), eq(dismissals.item, item)));
}

/** Whatever anybody has put away, by name, after the last of the page before. */
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

/** Forgets for everybody that these were put away. */
export async function deleteDismissedItems(
  db: Queryable,
  meshId: string,
  items: readonly string[],
): Promise<void> {
  if (items.length === 0) return;
  await db.delete(dismissals).where(and(eq(dismissals.meshId, meshId), inArray(dismissals.item, [...items])));
}

/** Forgets snoozes that are over. */
export async function deleteEndedSnoozes(db: Queryable, meshId: string): Promise<void> {
  await db.delete(dismissals).where(and(eq(dismissals.meshId, meshId), lt(dismissals.until, sql`now()`)));
}
