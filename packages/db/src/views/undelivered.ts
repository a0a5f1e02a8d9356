import { type SQL, sql } from "drizzle-orm";
import { messages, peers, personReads, teams } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";
import {
  type FactRow,
  type FactScope,
  fromOpenSessions,
  type SessionFact,
  selectSinceMs,
  sessionFactColumns,
  toFact,
} from "./attention.js";

/** A session with messages that no recipient has received, with the time of the oldest of these messages. */
export interface UndeliveredFact extends SessionFact {
  readonly sequence: number;
  readonly count: number;
}

/** Only this many messages at the end of a feed are checked. Older messages are not reported. */
const scannedMax = 2_000;

/**
 * Lists open sessions with messages that were posted before a given time and that no recipient has received.
 */
export async function listUndeliveredFacts(
  db: Queryable,
  scope: FactScope,
  before: Date,
): Promise<UndeliveredFact[]> {
  const rows = await db.execute<FactRow<UndeliveredFact>>(sql`
    SELECT ${sessionFactColumns}, min(m.sequence)::float8 AS sequence, count(*)::int AS count, ${selectSinceMs(sql`min(m.posted_at)`)}
    FROM ${fromOpenSessions(scope)} AND f.last_chat_sequence > 0 CROSS JOIN LATERAL (${selectUndelivered(before)}) m
    GROUP BY s.session_id ORDER BY since_ms, s.session_id LIMIT ${scope.limit}`);
  return rows.map(toFact);
}

export interface UndeliveredMessage extends SessionFact {
  readonly sequence: number;
  readonly team: string;
  readonly peer: string | null;
  readonly recipients: readonly string[];
  readonly text: string;
}

/** Lists undelivered messages in open sessions, oldest first. Also counts those beyond the limit. */
export async function listUndeliveredMessages(
  db: Queryable,
  scope: FactScope,
  { before, charsMax }: { readonly before: Date; readonly charsMax: number },
): Promise<{ readonly messages: UndeliveredMessage[]; readonly total: number }> {
  const rows = await db.execute<FactRow<UndeliveredMessage> & { total: number }>(sql`
    SELECT ${sessionFactColumns}, m.sequence::float8 AS sequence, m.author_team AS team, m.author_peer AS peer,
           to_json(m.recipients) AS recipients, left(coalesce(m.content::json ->> 'text', ''), ${charsMax}) AS text,
           ${selectSinceMs(sql`m.posted_at`)}, (count(*) OVER ())::int AS total
    FROM ${fromOpenSessions(scope)} AND f.last_chat_sequence > 0 CROSS JOIN LATERAL (${selectUndelivered(before)}) m
    ORDER BY m.posted_at, s.session_id, m.sequence LIMIT ${scope.limit}`);
  return { messages: rows.map(({ total: _, ...row }) => toFact(row)), total: rows[0]?.total ?? 0 };
}

/**
 * Selects the messages of feed `f` that no recipient has received. If a team has named peers, its unnamed
 * peer counts as a recipient only if it has polled for messages (PEER-7). Messages without recipients are
 * left out.
 */
function selectUndelivered(before: Date): SQL {
  return sql`
    SELECT m.sequence, m.author_team, m.author_peer, m.recipients, m.content, m.posted_at
    FROM (${selectCandidates(before)}) m
    WHERE (SELECT bool_or(greatest(p.acked, coalesce(r.last_read, 0)) >= m.sequence)
           FROM ${peers} p JOIN ${teams} t ON t.session_id = p.session_id AND t.team_id = p.team_id
           LEFT JOIN ${personReads} r ON r.mesh_id = s.mesh_id AND r.person_id = t.person_id AND r.session_id = p.session_id
           WHERE p.session_id = m.session_id AND p.peer_id <> m.posted_by_peer_id AND p.joined_at <= m.posted_at
             AND CASE WHEN m.reaches IS NOT NULL THEN p.peer_id = ANY (m.reaches)
               ELSE coalesce(p.left_at > m.posted_at, true) AND coalesce(t.left_at > m.posted_at, true)
                 AND (p.name IS NOT NULL OR p.last_polled_at IS NOT NULL OR NOT EXISTS (
                   SELECT FROM ${peers} n WHERE n.session_id = p.session_id AND n.team_id = p.team_id AND n.name IS NOT NULL))
               END) IS FALSE
    OFFSET 0`;
}

/**
 * Selects messages that may be undelivered, without reading the messages that are known to be received. It reads only
 * these messages of each feed:
 *
 * - messages to everyone that the two peers who have read furthest have not both received. At least one of the two is
 *   not the author, so a message that both have received is delivered;
 * - messages to some that reach a peer who has not read everything.
 *
 * Only these messages need a check of every peer. OFFSET 0 makes PostgreSQL read the peers once per feed.
 */
function selectCandidates(before: Date): SQL {
  const isCandidate = sql`m.session_id = f.session_id AND m.type = 'chat' AND m.salt IS NOT NULL
    AND m.posted_at < ${before.toISOString()}::timestamptz AND m.sequence <= f.last_chat_sequence`;
  const columns = sql`m.session_id, m.sequence, m.author_team, m.author_peer, m.posted_by_peer_id, m.recipients, m.reaches, m.content, m.posted_at`;
  return sql`
    SELECT m.* FROM (
      SELECT greatest(f.last_sequence - ${scannedMax}::int, 0) AS start, count(*) AS peers,
             min(p.acked) AS least_acked, array_agg(p.peer_id) FILTER (WHERE p.acked < f.last_chat_sequence) AS behind,
             max(p.acked) FILTER (WHERE p.place = 1) AS acked, max(p.joined_at) FILTER (WHERE p.place = 1) AS joined_at,
             (array_agg(p.peer_id) FILTER (WHERE p.place = 1))[1] AS peer_id,
             max(p.acked) FILTER (WHERE p.place = 2) AS both_acked, max(p.joined_at) FILTER (WHERE p.place <= 2) AS both_joined_at
      FROM (
        SELECT p.*, CASE WHEN p.receives THEN row_number() OVER (PARTITION BY p.receives ORDER BY p.acked DESC) END AS place
        FROM (
          SELECT p.peer_id, p.joined_at, greatest(p.acked, coalesce(r.last_read, 0)) AS acked,
                 p.left_at IS NULL AND t.left_at IS NULL AND (p.name IS NOT NULL OR p.last_polled_at IS NOT NULL) AS receives
          FROM ${peers} p JOIN ${teams} t ON t.session_id = p.session_id AND t.team_id = p.team_id
          LEFT JOIN ${personReads} r ON r.mesh_id = s.mesh_id AND r.person_id = t.person_id AND r.session_id = p.session_id
          WHERE p.session_id = f.session_id) p) p) b
    CROSS JOIN LATERAL (
      SELECT coalesce((SELECT m.sequence FROM ${messages} m
        WHERE m.session_id = f.session_id AND m.sequence > b.start AND m.posted_at >= b.both_joined_at
        ORDER BY m.sequence LIMIT 1), f.last_sequence) AS both_from OFFSET 0) j
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${messages} m
      WHERE ${isCandidate} AND m.reaches IS NULL AND m.sequence > greatest(b.start, b.both_acked)
        AND (m.sequence <= b.acked AND m.posted_at >= b.joined_at AND m.posted_by_peer_id <> b.peer_id) IS NOT TRUE
      UNION ALL
      SELECT ${columns} FROM ${messages} m
      WHERE ${isCandidate} AND m.reaches IS NULL AND m.sequence > b.start AND m.sequence < j.both_from AND m.sequence <= b.both_acked
      UNION ALL
      SELECT ${columns} FROM ${messages} m
      WHERE ${isCandidate} AND m.reaches IS NOT NULL AND m.sequence > greatest(b.start, b.least_acked) AND m.reaches && b.behind
        AND NOT EXISTS (SELECT FROM ${peers} p WHERE p.session_id = m.session_id AND p.peer_id = ANY (m.reaches)
          AND p.acked >= m.sequence AND p.joined_at <= m.posted_at AND p.peer_id <> m.posted_by_peer_id)
      OFFSET 0) m
    WHERE b.peers > 1`;
}
