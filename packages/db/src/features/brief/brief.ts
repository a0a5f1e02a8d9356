import { and, asc, desc, eq, inArray, lte, type SQL, sql } from "drizzle-orm";
import {
  approvals,
  documentVersions,
  feeds,
  jobs,
  messages,
  peers,
  proposals,
  sessions,
  stateEntries,
  tasks,
  teams,
} from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";
import { selectUnanswered } from "../../feed/asks.js";
import type { FeedRange } from "../../feed/feed-pages.js";
import { messageColumns, type StoredMessage } from "../../feed/messages.js";
import type { JobRow } from "../../identity/job-credentials.js";
import type { StateVersionRow } from "../../sessions/state-entries.js";

/**
 * The reader of a brief: a team and one of its peers, or a person with all of their teams in a session. All
 * fields are null for an anonymous reader.
 */
export interface BriefReader {
  readonly teamId: string | null;
  readonly peerId: string | null;
  readonly personId: string | null;
}

/** A session that a brief covers. */
export interface BriefSession {
  readonly sessionId: string;
  readonly slug: string;
  readonly title: string;
  readonly lastSequence: number;
}

/**
 * Lists sessions with messages posted since a person last read them. The most recently active session comes
 * first. Excludes sessions that the person has never read.
 */
export async function listUnreadSessions(
  db: Queryable,
  { meshId, personId }: { readonly meshId: string; readonly personId: string },
  limit: number,
): Promise<(BriefSession & { readonly lastRead: number })[]> {
  const rows = await db.execute<Record<string, unknown> & BriefSession & { lastRead: number }>(sql`
    SELECT s.session_id AS "sessionId", s.slug, s.title, f.last_sequence::float8 AS "lastSequence",
           r.last_read::float8 AS "lastRead"
    FROM person_reads r
    JOIN ${sessions} s ON s.mesh_id = r.mesh_id AND s.session_id = r.session_id
    JOIN ${feeds} f ON f.session_id = r.session_id
    WHERE r.mesh_id = ${meshId} AND r.person_id = ${personId} AND f.last_sequence > r.last_read AND f.archived_at IS NULL
    ORDER BY f.last_posted_at DESC LIMIT ${limit}`);
  return [...rows];
}

/** Returns the facts about a session that a brief shows. */
export async function findBriefSession(db: Queryable, sessionId: string): Promise<BriefSession | null> {
  const [row] = await db
    .select({
      sessionId: sessions.sessionId,
      slug: sessions.slug,
      title: sessions.title,
      lastSequence: feeds.lastSequence,
    })
    .from(sessions)
    .innerJoin(feeds, eq(feeds.sessionId, sessions.sessionId))
    .where(eq(sessions.sessionId, sessionId));
  return row ?? null;
}

/** Lists the newest messages of each kind within a range of a feed, in the order of the feed. */
export function listNewestOfKinds(
  db: Queryable,
  sessionId: string,
  range: FeedRange,
  { kinds, limit }: { readonly kinds: readonly string[]; readonly limit: number },
): Promise<StoredMessage[]> {
  // Uses the index on kinds. A scan of the feed would read many messages of a common kind to find a few of a
  // rare kind.
  const newest = kinds.map(
    (kind) => sql`(SELECT sequence FROM ${messages} WHERE session_id = ${sessionId} AND kind = ${kind}
      AND sequence > ${range.after} AND sequence <= ${range.upTo} ORDER BY sequence DESC LIMIT ${limit})`,
  );
  return readSequences(db, sessionId, sql`${sql.join(newest, sql` UNION ALL `)}`);
}

/**
 * Lists the newest open asks to the reader in the order of the feed, no matter how old they are. Leaves out
 * those to which the reader has replied, even without an answer.
 */
export function listAsksFor(
  db: Queryable,
  sessionId: string,
  reader: BriefReader,
  { upTo, limit }: { readonly upTo: number; readonly limit: number },
): Promise<StoredMessage[]> {
  const reaches = sql`(m.reaches IS NULL OR EXISTS (SELECT FROM own WHERE own.peer_id = ANY (m.reaches))
    OR (${reader.personId}::uuid IS NOT NULL AND '@humans' = ANY (m.recipients)))`;
  return readSequences(
    db,
    sessionId,
    sql`WITH own AS MATERIALIZED ${selectOwnPeers(sessionId, reader)}
    SELECT m.sequence FROM ${messages} m
    WHERE ${isOpenAsk(sessionId, upTo)}
      AND ${reaches} AND NOT EXISTS (SELECT FROM own WHERE own.team_id = m.posted_by_team_id)
      AND NOT EXISTS (SELECT FROM ${messages} r JOIN own ON own.peer_id = r.posted_by_peer_id
        WHERE r.session_id = m.session_id AND r.reply_to = m.sequence AND r.type = 'chat')
    ORDER BY m.sequence DESC LIMIT ${limit}`,
  );
}

/** Lists the reader's newest open asks in the order of the feed, no matter how old they are. */
export function listOwnAsks(
  db: Queryable,
  sessionId: string,
  reader: BriefReader,
  { upTo, limit }: { readonly upTo: number; readonly limit: number },
): Promise<StoredMessage[]> {
  return readSequences(
    db,
    sessionId,
    sql`WITH own AS MATERIALIZED ${selectOwnPeers(sessionId, reader)}
    SELECT m.sequence FROM ${messages} m
    WHERE ${isOpenAsk(sessionId, upTo)} AND EXISTS (SELECT FROM own WHERE own.peer_id = m.posted_by_peer_id)
    ORDER BY m.sequence DESC LIMIT ${limit}`,
  );
}

/** Returns which of these asks are unanswered (ATT-15). */
export async function listUnansweredAsks(
  db: Queryable,
  sessionId: string,
  sequences: readonly number[],
  before: Date,
): Promise<ReadonlySet<number>> {
  if (sequences.length === 0) return new Set();
  const rows = await db.execute<{ sequence: number }>(sql`
    SELECT m.sequence::float8 AS sequence FROM ${messages} m
    WHERE m.session_id = ${sessionId} AND m.sequence = ANY (${sql.param(`{${sequences.join(",")}}`)}::bigint[])
      AND ${selectUnanswered(sql`m`, before)}`);
  return new Set(rows.map(({ sequence }) => sequence));
}

/** A task in review, an open proposal or a waiting approval. */
export interface OpenRequest {
  readonly kind: "review" | "own_review" | "own_proposal" | "own_approval";
  readonly number: number;
  /** Name of the peer that asks. */
  readonly by: string;
  readonly text: string;
  /** Who has to reply. Null if any person of the mesh, or the peer itself, can. */
  readonly reviewer: string | null;
  readonly at: Date;
  readonly unanswered: boolean;
}

/**
 * Lists the tasks in review that wait for the reader, and what the reader has asked for otherwise than by a message:
 * tasks in review, proposals and approvals. The newest of each kind come first, no matter how old they are.
 */
export async function listOpenRequests(
  db: Queryable,
  sessionId: string,
  reader: BriefReader,
  { unansweredBefore, limit }: { readonly unansweredBefore: Date; readonly limit: number },
): Promise<OpenRequest[]> {
  const newest = (kind: OpenRequest["kind"], found: SQL) =>
    sql`(SELECT ${kind}::text AS kind, found.* FROM (${found}) found ORDER BY at DESC LIMIT ${limit})`;
  const selectReviews = (condition: SQL) => sql`
    SELECT k.number, coalesce(k.holder, '') AS by, k.title AS text, k."check" ->> 'reviewer' AS reviewer, k.updated_at AS at
    FROM ${tasks} k WHERE k.session_id = ${sessionId} AND k.state = 'in_review' AND ${condition}`;
  const isOwn = (peerId: SQL) => sql`EXISTS (SELECT FROM own WHERE own.peer_id = ${peerId})`;
  const isForReader = sql`NOT ${isOwn(sql`k.holder_peer_id`)} AND EXISTS (SELECT FROM own
    WHERE lower(k."check" ->> 'reviewer') IN (lower(own.team), lower(own.peer), lower(own.address)))`;
  const rows = await db.execute<Omit<OpenRequest, "at"> & { at_ms: number } & Record<string, unknown>>(sql`
    WITH own AS MATERIALIZED ${selectOwnPeers(sessionId, reader)}
    SELECT r.kind, r.number, r.by, r.text, r.reviewer, (extract(epoch FROM r.at) * 1000)::float8 AS at_ms,
           r.at < ${unansweredBefore.toISOString()}::timestamptz AS unanswered
    FROM (
      ${newest("review", selectReviews(isForReader))}
      UNION ALL ${newest("own_review", selectReviews(isOwn(sql`k.holder_peer_id`)))}
      UNION ALL ${newest(
        "own_proposal",
        sql`SELECT number, proposed_by, coalesce(nullif(note, ''), format('+%s \u2212%s', added, removed)), NULL, proposed_at AS at FROM ${proposals}
          WHERE session_id = ${sessionId} AND status = 'open' AND EXISTS (SELECT FROM own WHERE own.address = proposed_by)`,
      )}
      UNION ALL ${newest(
        "own_approval",
        sql`SELECT number, asked_by, tool, NULL, asked_at AS at FROM ${approvals} a
          WHERE session_id = ${sessionId} AND state = 'waiting' AND expires_at > now() AND ${isOwn(sql`a.peer_id`)}`,
      )}
    ) r
    ORDER BY r.at DESC`);
  return rows.map(({ at_ms, ...row }) => ({ ...row, at: new Date(at_ms) }));
}

/** Selects the reader's peers in a session, each with its names. */
function selectOwnPeers(sessionId: string, reader: BriefReader): SQL {
  return sql`(SELECT p.peer_id, p.team_id, t.name AS team, p.name AS peer, concat_ws('/', t.name, p.name) AS address FROM ${peers} p JOIN ${teams} t ON t.session_id = p.session_id AND t.team_id = p.team_id
    WHERE p.session_id = ${sessionId} AND (p.peer_id = ${reader.peerId}::uuid OR t.person_id = ${reader.personId}::uuid))`;
}

/** Selects whether `m` is an ask of a session that has been neither answered nor redacted. */
function isOpenAsk(sessionId: string, upTo: number): SQL {
  return sql`m.session_id = ${sessionId} AND m.kind = 'ask' AND m.sequence <= ${upTo} AND m.salt IS NOT NULL
    AND NOT EXISTS (SELECT FROM ${messages} a WHERE a.session_id = m.session_id AND a.answers = m.sequence)`;
}

/** Lists the newest answers to the reader's asks within a range of a feed, in the order of the feed. */
export function listAnswersTo(
  db: Queryable,
  sessionId: string,
  { teamId, personId }: BriefReader,
  range: FeedRange,
  limit: number,
): Promise<StoredMessage[]> {
  return readSequences(
    db,
    sessionId,
    sql`SELECT a.sequence FROM ${messages} a
    JOIN ${messages} q ON q.session_id = a.session_id AND q.sequence = a.answers
    JOIN ${teams} t ON t.session_id = q.session_id AND t.team_id = q.posted_by_team_id
    WHERE a.session_id = ${sessionId} AND a.answers IS NOT NULL AND a.sequence > ${range.after} AND a.sequence <= ${range.upTo}
      AND (t.team_id = ${teamId}::uuid OR t.person_id = ${personId}::uuid)
    ORDER BY a.sequence DESC LIMIT ${limit}`,
  );
}

function readSequences(
  db: Queryable,
  sessionId: string,
  found: ReturnType<typeof sql>,
): Promise<StoredMessage[]> {
  return db
    .select(messageColumns)
    .from(messages)
    .where(and(eq(messages.sessionId, sessionId), inArray(messages.sequence, sql`(${found})`)))
    .orderBy(asc(messages.sequence));
}

/**
 * Only this many messages at the end of a range are counted. Exact counts of older messages do not help a
 * reader to catch up.
 */
const countedMax = 10_000;

/**
 * Counts the chat messages from each of the other teams within a range of a feed, limited to the last 10,000
 * messages. Also returns the sequence and time of each team's last message.
 */
export async function countSaid(
  db: Queryable,
  sessionId: string,
  { teamId, personId }: BriefReader,
  range: FeedRange,
): Promise<{ team: string; messages: number; sequence: number; at: Date }[]> {
  const rows = await db.execute<{ team: string; messages: number; sequence: number; at_ms: number }>(sql`
    SELECT m.author_team AS team, count(*)::int AS messages, max(m.sequence)::float8 AS sequence,
           (extract(epoch FROM max(m.posted_at)) * 1000)::float8 AS at_ms
    FROM ${messages} m JOIN ${teams} t ON t.session_id = m.session_id AND t.team_id = m.posted_by_team_id
    WHERE m.session_id = ${sessionId} AND m.type = 'chat' AND m.sequence <= ${range.upTo}
      AND m.sequence > greatest(${range.after}::bigint, ${range.upTo}::bigint - ${countedMax}::int)
      AND t.team_id IS DISTINCT FROM ${teamId}::uuid
      AND (${personId}::uuid IS NULL OR t.person_id IS DISTINCT FROM ${personId}::uuid)
    GROUP BY m.author_team ORDER BY 2 DESC, 1`);
  return rows.map(({ at_ms, ...row }) => ({ ...row, at: new Date(at_ms) }));
}

/**
 * Lists the state keys that others have changed since a given message was posted, with their current values,
 * newest change first. The value of a deleted key is null.
 */
export async function listStateAfter(
  db: Queryable,
  sessionId: string,
  {
    after,
    peerId,
    limit,
  }: { readonly after: number; readonly peerId: string | null; readonly limit: number },
): Promise<Pick<StateVersionRow, "key" | "value" | "updatedBy" | "updatedAt">[]> {
  const { key, value, updatedBy, updatedAt } = stateEntries;
  return db
    .select({ key, value: sql<string | null>`left(${value}, 1000)`, updatedBy, updatedAt })
    .from(stateEntries)
    .where(
      and(
        eq(stateEntries.scopeId, sessionId),
        sql`${updatedAt} > coalesce((SELECT posted_at FROM ${messages} WHERE session_id = ${sessionId} AND sequence = ${after}), '-infinity')`,
        sql`${stateEntries.updatedByPeerId} IS DISTINCT FROM ${peerId}::uuid`,
      ),
    )
    .orderBy(desc(updatedAt))
    .limit(limit);
}

/** Lists a session's jobs that failed after a given message was posted, newest first. */
export function listJobsFailedAfter(
  db: Queryable,
  { meshId, sessionId }: { readonly meshId: string; readonly sessionId: string },
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<Pick<JobRow, "number" | "kind" | "failure" | "exitCode" | "startedAt" | "completedAt">[]> {
  const { number, kind, failure, exitCode, startedAt, completedAt } = jobs;
  return db
    .select({ number, kind, failure, exitCode, startedAt, completedAt })
    .from(jobs)
    .where(
      and(
        eq(jobs.meshId, meshId),
        eq(jobs.sessionId, sessionId),
        inArray(jobs.status, ["failed", "timed_out"]),
        sql`${completedAt} > coalesce((SELECT posted_at FROM ${messages} WHERE session_id = ${sessionId} AND sequence = ${after}), '-infinity')`,
      ),
    )
    .orderBy(desc(completedAt))
    .limit(limit);
}

/**
 * Returns the version of the document at the time when a given message was posted, or 0 if the document was
 * still empty.
 */
export async function findDocumentVersionAfter(
  db: Queryable,
  sessionId: string,
  sequence: number,
): Promise<number> {
  const [row] = await db
    .select({ version: documentVersions.version })
    .from(documentVersions)
    .where(and(eq(documentVersions.sessionId, sessionId), lte(documentVersions.afterSequence, sequence)))
    .orderBy(desc(documentVersions.version))
    .limit(1);
  return row?.version ?? 0;
}
