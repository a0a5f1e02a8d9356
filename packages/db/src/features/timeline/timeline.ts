import { and, asc, count, eq, gt, inArray, lte, sql } from "drizzle-orm";
import { documentVersions, messages, teams } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";
import type { FeedRange } from "../../feed/feed-pages.js";

export interface ChatCount {
  readonly teamId: string;
  readonly bucket: number;
  readonly messages: number;
}

/**
 * Counts each team's chat messages per interval of `bucketMs`, starting at `from`. Scans the range only once.
 */
export async function countChat(
  db: Queryable,
  sessionId: string,
  { after, upTo }: FeedRange,
  { from, bucketMs }: { readonly from: Date; readonly bucketMs: number },
): Promise<ChatCount[]> {
  const width = sql`make_interval(secs => ${bucketMs}::float8 / 1000)`;
  const rows = await db.execute<{ teamId: string; ms: string; messages: number }>(sql`
    SELECT posted_by_team_id AS "teamId", (extract(epoch FROM bin) * 1000)::bigint AS ms, count(*)::int AS messages
    FROM (SELECT posted_by_team_id, date_bin(${width}, posted_at, ${from.toISOString()}::timestamptz) AS bin
          FROM ${messages}
          WHERE session_id = ${sessionId} AND sequence > ${after} AND sequence <= ${upTo} AND type = 'chat') said
    GROUP BY posted_by_team_id, bin`);
  return rows.map(({ teamId, ms, messages }) => ({
    teamId,
    bucket: Math.round((Number(ms) - from.getTime()) / bucketMs),
    messages,
  }));
}

export interface LaneRow {
  readonly teamId: string;
  readonly name: string;
  readonly kind: "agent" | "human" | "guest";
  readonly colour: number;
}

/** Lists the given teams of a session, in the order in which they joined. */
export async function listLanes(
  db: Queryable,
  sessionId: string,
  teamIds: readonly string[],
): Promise<LaneRow[]> {
  if (teamIds.length === 0) return [];
  return db
    .select({ teamId: teams.teamId, name: teams.name, kind: teams.kind, colour: teams.colour })
    .from(teams)
    .where(and(eq(teams.sessionId, sessionId), inArray(teams.teamId, [...teamIds])))
    .orderBy(asc(teams.colour));
}

export interface MarkRow {
  /** Kind of the event. Null if the mark is a document version. */
  readonly kind: string | null;
  readonly at: Date;
  readonly by: string | null;
  readonly sequence: number | null;
  readonly version: number | null;
}

/** Lists the latest marks in a time span, oldest first. Also counts the marks beyond the limit. */
export async function listMarks(
  db: Queryable,
  sessionId: string,
  span: { readonly range: FeedRange; readonly from: Date; readonly to: Date },
  { kinds, limit }: { readonly kinds: readonly string[]; readonly limit: number },
): Promise<{ marks: MarkRow[]; total: number }> {
  const { range, from, to } = span;
  const isIn = sql`session_id = ${sessionId} AND sequence > ${range.after} AND sequence <= ${range.upTo}`;
  // Uses the index to read each kind's newest marks. A scan of the feed would read many messages of a common
  // kind to find a few of a rare kind.
  const newest = kinds.map(
    (kind) => sql`(SELECT kind, posted_at AS at, sequence, NULL::int AS version, NULL::text AS written_by
      FROM ${messages} WHERE ${isIn} AND kind = ${kind} ORDER BY sequence DESC LIMIT ${limit})`,
  );
  const versions = sql`(SELECT NULL::text AS kind, written_at AS at, NULL::bigint AS sequence, version, written_by
      FROM ${documentVersions} WHERE session_id = ${sessionId} AND written_at >= ${from.toISOString()}::timestamptz
        AND written_at <= ${to.toISOString()}::timestamptz ORDER BY version DESC LIMIT ${limit})`;
  const [rows, [counted], [written]] = await Promise.all([
    db.execute<Omit<MarkRow, "at"> & { at_ms: string } & Record<string, unknown>>(sql`
      WITH newest AS MATERIALIZED (
        SELECT * FROM (${sql.join([...newest, versions], sql` UNION ALL `)}) each
        ORDER BY at DESC, sequence DESC NULLS FIRST LIMIT ${limit})
      SELECT n.kind, (extract(epoch FROM n.at) * 1000)::bigint AS at_ms, n.sequence::float8 AS sequence, n.version,
             CASE WHEN n.kind IS NULL THEN n.written_by WHEN m.type = 'chat' THEN m.author_team
               ELSE coalesce(m.content::json ->> 'team', m.content::json ->> 'by') END AS by
      FROM newest n LEFT JOIN ${messages} m ON m.session_id = ${sessionId} AND m.sequence = n.sequence
      ORDER BY n.at, n.sequence NULLS LAST`),
    db
      .select({ messages: count() })
      .from(messages)
      .where(
        and(
          eq(messages.sessionId, sessionId),
          inArray(messages.kind, [...kinds]),
          gt(messages.sequence, range.after),
          lte(messages.sequence, range.upTo),
        ),
      ),
    db
      .select({ versions: count() })
      .from(documentVersions)
      .where(
        and(
          eq(documentVersions.sessionId, sessionId),
          sql`${documentVersions.writtenAt} BETWEEN ${from.toISOString()}::timestamptz AND ${to.toISOString()}::timestamptz`,
        ),
      ),
  ]);
  return {
    marks: rows.map(({ at_ms, ...row }) => ({ ...row, at: new Date(Number(at_ms)) })),
    total: (counted?.messages ?? 0) + (written?.versions ?? 0),
  };
}
