import { and, eq, gte, inArray, lt, min, sql } from "drizzle-orm";
import { feeds, messages, personReads, persons, receipts, teams } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

/**
 * A reader whose unread messages are counted: a person in any session, or a team in its own session. `after`
 * is the team's acknowledged cursor.
 */
export type UnreadReader =
  | { readonly meshId: string; readonly personId: string }
  | { readonly teamId: string; readonly after: number };

/**
 * Only this many messages at the end of a feed are checked. Older messages are not counted, even if they are
 * unread.
 */
const scannedMax = 2_000;
const countedMax = 1_000;

/**
 * Counts unread chat messages by others in each session, up to 1,000 and only among the last 2,000 messages
 * (READ-2). In a session that a person has never read, only messages posted after the person was created
 * count. Otherwise a new person would start with a thousand unread messages.
 */
export async function countUnread(
  db: Queryable,
  reader: UnreadReader,
  sessionIds: readonly string[],
): Promise<Map<string, number>> {
  if (sessionIds.length === 0) return new Map();
  const rows = await db.execute<{ session_id: string; unread: number }>(sql`
    WITH asked AS MATERIALIZED (${selectFeedEnds(reader, sessionIds)})
    SELECT a.session_id, least(coalesce(c.unread, 0), ${countedMax})::int AS unread
    FROM asked a
    LEFT JOIN LATERAL (
      SELECT count(*) AS unread
      FROM ${messages} m
      WHERE m.session_id = a.session_id AND m.sequence > greatest(a.after, a.last_sequence - ${scannedMax}::int)
        AND m.type = 'chat' AND m.posted_by_team_id IS DISTINCT FROM a.own_team_id
        AND (a.not_before IS NULL OR m.posted_at > a.not_before)
      OFFSET 0) c ON a.last_chat_sequence > a.after AND (a.not_before IS NULL OR a.last_posted_at > a.not_before)`);
  return new Map(rows.map(({ session_id, unread }) => [session_id, unread]));
}

/**
 * Selects the bounds for each session: the cursor and time after which messages from others count as unread,
 * and the end of the feed.
 */
function selectFeedEnds(reader: UnreadReader, sessionIds: readonly string[]) {
  const ids = sql`${`{${sessionIds.join(",")}}`}::uuid[]`;
  const ends = sql`f.session_id, f.last_sequence, f.last_chat_sequence, f.last_posted_at`;
  if ("teamId" in reader) {
    return sql`
      SELECT ${ends}, ${reader.after}::bigint AS after, ${reader.teamId}::uuid AS own_team_id,
             NULL::timestamptz AS not_before
      FROM ${feeds} f WHERE f.session_id = ANY (${ids})`;
  }
  const { meshId, personId } = reader;
  return sql`
    SELECT ${ends}, coalesce(r.last_read, 0) AS after, t.team_id AS own_team_id,
           CASE WHEN r.last_read IS NULL THEN p.created_at END AS not_before
    FROM ${feeds} f
    JOIN ${persons} p ON p.mesh_id = ${meshId} AND p.person_id = ${personId}
    LEFT JOIN ${personReads} r ON r.mesh_id = ${meshId} AND r.person_id = ${personId} AND r.session_id = f.session_id
    LEFT JOIN ${teams} t ON t.session_id = f.session_id AND t.person_id = ${personId}
    WHERE f.session_id = ANY (${ids})`;
}

/** Returns when peers acknowledged a message, where known. `saveProgress` records these times. */
export async function readReceipts(
  db: Queryable,
  sessionId: string,
  sequence: number,
  peerIds: readonly string[],
): Promise<Map<string, Date>> {
  if (peerIds.length === 0) return new Map();
  const rows = await db
    .select({ peerId: receipts.peerId, at: min(receipts.at) })
    .from(receipts)
    .where(
      and(
        eq(receipts.sessionId, sessionId),
        inArray(receipts.peerId, [...peerIds]),
        gte(receipts.cursor, sequence),
      ),
    )
    .groupBy(receipts.peerId);
  return new Map(rows.flatMap(({ peerId, at }) => (at === null ? [] : [[peerId, at]])));
}

/**
 * Deletes receipts older than `olderThanDays` days. The peers' cursors still show which messages were
 * delivered.
 */
export async function purgeReceipts(db: Queryable, olderThanDays: number): Promise<number> {
  const { count } = await db
    .delete(receipts)
    .where(lt(receipts.at, sql`now() - make_interval(days => ${olderThanDays})`));
  return count;
}
