import { type SQL, sql } from "drizzle-orm";
import {
  documents,
  documentVersions,
  documentWords,
  feeds,
  memories,
  messages,
  messageWords,
  progressEntries,
  sessions,
  stateEntries,
  tasks,
  teams,
  topicMessages,
  topics,
} from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";
import { selectMarked, selectMatch, selectRank, type TextMatch } from "../../text/text-query.js";
import { selectMessageText } from "./message-text.js";

export type SearchHitKind =
  | "message"
  | "decision"
  | "document"
  | "task"
  | "memory"
  | "session"
  | "state"
  | "progress"
  | "topic";

export interface SearchResultRow {
  readonly kind: SearchHitKind;
  readonly sessionId: string | null;
  readonly slug: string | null;
  readonly sequence: number | null;
  readonly memory: number | null;
  /** Number of a task within its session. */
  readonly task: number | null;
  readonly topic: number | null;
  /** File that a topic is about, as `root/path`. */
  readonly sourcePath: string | null;
  readonly version: number | null;
  /** Key of a state entry. */
  readonly key: string | null;
  /** Id of a progress entry. `project` identifies its project. */
  readonly entry: string | null;
  readonly project: string | null;
  readonly title: string | null;
  readonly by: string | null;
  readonly at: Date;
  readonly rank: number;
  /** Excerpt that starts shortly before the first match. At most a few thousand characters. */
  readonly marked: string;
}

export interface SearchRequest {
  readonly match: TextMatch;
  readonly kinds: ReadonlySet<SearchHitKind>;
  readonly sessionId: string | undefined;
  readonly limit: number;
}

/**
 * Sorts by rank, then by time. Times have millisecond precision, so among hits with the same time, the
 * highest number is the newest.
 */
const bestFirst = sql`f.rank DESC, f.at DESC, f.session_id, f.sequence DESC NULLS LAST, f.memory DESC NULLS LAST, f.key COLLATE "C"`;

export interface SearchResult {
  readonly rows: SearchResultRow[];
  /** Number of hits in everything that the search read, including those beyond the limit. */
  readonly total: number;
}

/**
 * Searches everything in a mesh. The best match comes first, and among equal matches the newest. A match of nothing
 * lists the newest of each kind. Messages and documents are found only once they are indexed.
 */
export async function searchMesh(
  db: Queryable,
  meshId: string,
  request: SearchRequest,
): Promise<SearchResult> {
  const recent =
    request.kinds.has("message") && request.match.by === "words" && request.sessionId === undefined
      ? await findRecentStart(db)
      : null;
  const branches = [
    request.kinds.has("message") ? selectMessages(request, recent) : null,
    request.kinds.has("decision") ? selectMessageHits(request, sql`decision`) : null,
    request.kinds.has("document") ? findDocuments(request) : null,
    request.kinds.has("task") ? findTasks(request) : null,
    request.kinds.has("memory") ? findMemories(request, meshId) : null,
    request.kinds.has("session") ? findSessions(request) : null,
    request.kinds.has("state") ? findState(request, meshId) : null,
    request.kinds.has("topic") ? findTopicMessages(request, meshId) : null,
    request.kinds.has("progress") ? findProgress(request, meshId) : null,
  ].filter((branch) => branch !== null);
  const hits = sql.join(
    branches.map(
      (branch) => sql`(${request.match.by === "nothing" ? selectNewest(branch, request) : branch})`,
    ),
    sql` UNION ALL `,
  );
  // The texts are read and marked only for the hits that are returned.
  const rows = await db.execute<
    Omit<SearchResultRow, "at"> & { at_ms: string; total: number } & Record<string, unknown>
  >(sql`
    WITH own AS (SELECT session_id FROM ${sessions} WHERE mesh_id = ${meshId}${
      request.sessionId === undefined ? sql`` : sql` AND session_id = ${request.sessionId}`
    }), hits AS MATERIALIZED (${hits}), found AS MATERIALIZED (
      SELECT f.*, (SELECT count(*) FROM hits)::int AS total FROM hits f ORDER BY ${bestFirst} LIMIT ${request.limit})
    SELECT f.kind, f.session_id AS "sessionId", s.slug, f.sequence::float8 AS sequence,
           CASE f.kind WHEN 'memory' THEN f.memory::float8 END AS memory,
           CASE f.kind WHEN 'task' THEN f.memory::float8 END AS task,
           CASE f.kind WHEN 'topic' THEN f.memory::float8 END AS topic, o.root || '/' || o.path AS "sourcePath", w.version, CASE f.kind WHEN 'state' THEN f.key END AS key,
           p.id AS entry, p.project_id AS project,
           CASE f.kind WHEN 'memory' THEN NULL WHEN 'progress' THEN p.title WHEN 'topic' THEN o.title ELSE s.title END AS title,
           CASE f.kind WHEN 'memory' THEN r.remembered_by WHEN 'document' THEN v.written_by WHEN 'session' THEN t.name
             WHEN 'state' THEN e.updated_by WHEN 'progress' THEN p.logged_by WHEN 'topic' THEN c.author
             WHEN 'task' THEN k.created_by
             ELSE concat_ws('/', m.author_team, m.author_peer) END AS by,
           (extract(epoch FROM f.at) * 1000)::bigint AS at_ms, f.rank::float8 AS rank, f.total,
           ${selectExcerpt(sql`marked.text`)} AS marked
    FROM found f
    LEFT JOIN ${sessions} s ON s.session_id = f.session_id
    LEFT JOIN ${messages} m ON f.kind <> 'topic' AND m.session_id = f.session_id AND m.sequence = f.sequence
    LEFT JOIN ${documentWords} w ON w.session_id = f.session_id AND w.piece = f.piece
    LEFT JOIN ${documentVersions} v ON v.session_id = w.session_id AND v.version = w.version
    LEFT JOIN ${topics} o ON f.kind = 'topic' AND o.mesh_id = ${meshId} AND o.number = f.memory
    LEFT JOIN ${topicMessages} c ON f.kind = 'topic' AND c.mesh_id = ${meshId} AND c.topic = f.memory AND c.sequence = f.sequence
    LEFT JOIN ${tasks} k ON f.kind = 'task' AND k.session_id = f.session_id AND k.number = f.memory
    LEFT JOIN ${memories} r ON f.kind = 'memory' AND r.mesh_id = ${meshId} AND r.number = f.memory
    LEFT JOIN ${stateEntries} e ON e.scope_id = coalesce(f.session_id, ${meshId}) AND e.key = f.key COLLATE "C"
    LEFT JOIN ${progressEntries} p ON f.kind = 'progress' AND p.mesh_id = ${meshId} AND p.id = f.key
    LEFT JOIN ${teams} t ON f.kind = 'session' AND t.session_id = s.session_id AND t.team_id = s.created_by_team_id
    CROSS JOIN LATERAL (SELECT ${selectMarked(
      request.match,
      sql`CASE f.kind WHEN 'memory' THEN r.content WHEN 'document' THEN w.content
            WHEN 'session' THEN ${selectSessionText(sql`s`)} WHEN 'state' THEN ${selectStateText(sql`e`)}
            WHEN 'progress' THEN ${selectProgressText(sql`p`)} WHEN 'topic' THEN c.text
            WHEN 'task' THEN ${selectTaskText(sql`k`)} ELSE ${selectMessageText(sql`m.content::json`)} END`,
    )} AS text OFFSET 0) marked
    ORDER BY ${bestFirst}`);
  return {
    rows: rows.map(({ at_ms, total: _, ...row }) => ({ ...row, at: new Date(Number(at_ms)) })),
    total: rows[0]?.total ?? 0,
  };
}

/**
 * Number of the newest messages that are searched first. The word index cannot be read in the order of time, so a
 * word that occurs in every 300th of ten million messages would otherwise cost reading 30,000 of them.
 */
const recentMessages = 50_000;

/** Returns the time of the oldest of the newest messages. Null if there are no older messages. */
async function findRecentStart(db: Queryable): Promise<string | null> {
  // Converted outside of the subquery, because PostgreSQL also evaluates the columns of the rows that OFFSET skips.
  const [row] = await db.execute<{ at: string }>(sql`
    SELECT posted_at::text AS at FROM (
      SELECT posted_at FROM ${messageWords} ORDER BY posted_at DESC OFFSET ${recentMessages} LIMIT 1) m`);
  return row?.at ?? null;
}

const selectSessionText = (row: SQL) => sql`concat_ws(E'\n', ${row}.title, nullif(${row}.description, ''))`;

/** The indexed text of a state entry: its key and the beginning of its value. */
const selectStateText = (row: SQL) => sql`concat(${row}.key, ': ', left(${row}.value, 4000))`;

/** The indexed text of a progress entry: title, content and tags. */
const selectProgressText = (row: SQL) =>
  sql`concat_ws(E'\n', ${row}.title, ${row}.content, nullif(array_to_string(${row}.tags, ', '), ''))`;

/** The indexed text of a task: title, labels, text and result. */
const selectTaskText = (row: SQL) =>
  sql`concat_ws(E'\n', ${row}.title, nullif(array_to_string(${row}.labels, ', '), ''), nullif(${row}.text, ''), ${row}.result)`;

/** Selects the newest hits of one kind, so that an index by time is read no further. */
function selectNewest(branch: SQL, { limit }: SearchRequest): SQL {
  return sql`SELECT * FROM (${branch}) b ORDER BY at DESC LIMIT ${limit}`;
}

/** Builds the columns of one kind's subquery: the keys of a hit, its time and its rank. */
function selectHit(
  kind: SQL,
  keys: { sequence?: SQL; memory?: SQL; piece?: SQL; key?: SQL },
  at: SQL,
  rank: SQL,
): SQL {
  const { sequence = sql`NULL`, memory = sql`NULL`, piece = sql`NULL`, key = sql`NULL` } = keys;
  return sql`${kind} AS kind, session_id, ${sequence}::bigint AS sequence, ${memory}::bigint AS memory,
    ${piece}::int AS piece, ${key}::text AS key, ${at} AS at, ${rank} AS rank`;
}

/**
 * Number of each session's newest messages that a substring search covers. Such a search has to read every
 * text, so a limit is needed.
 */
const messagesReadMax = 1_000;

/**
 * Finds messages that are not decisions. If the recent ones fill the limit, older ones are not read (SEARCH-11).
 *
 * @param recent - time after which messages are recent. It is a value of its own, and no subquery, so that the planner
 * knows how few messages are recent, and combines both indexes.
 */
function selectMessages(request: SearchRequest, recent: string | null): SQL {
  if (recent === null) return selectMessageHits(request, sql`NOT decision`);
  const isEnough = sql`(SELECT count(*) FROM recent) >= ${request.limit}`;
  return sql`
    WITH recent AS MATERIALIZED (${selectMessageHits(request, sql`NOT decision AND posted_at > ${recent}::timestamptz`)})
    SELECT * FROM recent WHERE ${isEnough}
    UNION ALL SELECT * FROM (${selectMessageHits(request, sql`NOT decision`)}) older WHERE NOT ${isEnough}`;
}

function selectMessageHits({ match }: SearchRequest, condition: SQL): SQL {
  const columns = selectHit(
    sql`CASE WHEN decision THEN 'decision' ELSE 'message' END`,
    { sequence: sql`sequence` },
    sql`posted_at`,
    selectRank(match, sql`words`),
  );
  const source =
    match.by !== "letters"
      ? sql`${messageWords} w`
      : sql`${feeds} f JOIN ${messageWords} w USING (session_id) JOIN ${messages} m USING (session_id, sequence, posted_at)`;
  const newest = match.by !== "letters" ? sql`` : sql`AND sequence > f.last_sequence - ${messagesReadMax}`;
  return sql`SELECT ${columns} FROM ${source} WHERE session_id IN (SELECT session_id FROM own) AND ${condition} ${newest}
    AND ${selectMatch(match, { words: sql`words`, text: selectMessageText(sql`m.content::json`) })}`;
}

/**
 * Finds the best matching piece of each document. Finds the last indexed version if the document has been
 * edited since.
 */
function findDocuments({ match }: SearchRequest): SQL {
  const columns = selectHit(
    sql`'document'`,
    { piece: sql`piece` },
    sql`d.updated_at`,
    selectRank(match, sql`words`),
  );
  return sql`SELECT DISTINCT ON (session_id) ${columns} FROM ${documentWords} w JOIN ${documents} d USING (session_id)
    WHERE session_id IN (SELECT session_id FROM own) AND ${selectMatch(match, { words: sql`words`, text: sql`w.content` })}
    ORDER BY session_id, rank DESC, piece`;
}

/** Number of each session's newest tasks that a substring search covers. */
const tasksReadMax = 1_000;

/** Finds tasks in any state. The column `memory` contains the task's number. */
function findTasks({ match }: SearchRequest): SQL {
  const columns = selectHit(
    sql`'task'`,
    { memory: sql`number` },
    sql`updated_at`,
    selectRank(match, sql`words`),
  );
  const source =
    match.by !== "letters"
      ? sql`(SELECT * FROM ${tasks} WHERE session_id IN (SELECT session_id FROM own)) k`
      : sql`(SELECT k.* FROM own CROSS JOIN LATERAL (SELECT * FROM ${tasks} t
          WHERE t.session_id = own.session_id ORDER BY t.number DESC LIMIT ${tasksReadMax}) k) k`;
  return sql`SELECT ${columns} FROM ${source}
    WHERE ${selectMatch(match, { words: sql`words`, text: selectTaskText(sql`k`) })}`;
}

function findMemories({ match, sessionId }: SearchRequest, meshId: string): SQL {
  const columns = selectHit(
    sql`'memory'`,
    { memory: sql`number` },
    sql`remembered_at`,
    selectRank(match, sql`words`),
  );
  return sql`SELECT ${columns} FROM ${memories} WHERE mesh_id = ${meshId} AND forgotten_at IS NULL
    AND ${selectMatch(match, { words: sql`words`, text: sql`(content || ' ' || array_to_string(tags, ' '))` })}
    ${sessionId === undefined ? sql`` : sql`AND session_id = ${sessionId}`}`;
}

function findSessions({ match }: SearchRequest): SQL {
  const columns = selectHit(sql`'session'`, {}, sql`updated_at`, selectRank(match, sql`words`));
  return sql`SELECT ${columns} FROM ${sessions} s WHERE session_id IN (SELECT session_id FROM own)
    AND ${selectMatch(match, { words: sql`words`, text: sql`concat_ws(' ', s.title, s.slug, s.description)` })}`;
}

/**
 * Number of keys per scope that a substring search covers. Such a search has to read every value, so a limit
 * is needed.
 */
const keysReadMax = 1_000;

/** Searches the current state values of sessions. Includes the mesh's own keys, unless a session is given. */
function findState({ match, sessionId }: SearchRequest, meshId: string): SQL {
  const columns = sql`'state' AS kind, nullif(e.scope_id, ${meshId}::uuid) AS session_id, NULL::bigint AS sequence,
    NULL::bigint AS memory, NULL::int AS piece, e.key::text AS key, e.updated_at AS at, ${selectRank(match, sql`e.words`)} AS rank`;
  const scopes = sql`SELECT session_id AS scope_id FROM own${sessionId === undefined ? sql` UNION ALL SELECT ${meshId}::uuid` : sql``}`;
  const source =
    match.by !== "letters"
      ? sql`(SELECT e.* FROM ${stateEntries} e WHERE e.scope_id IN (${scopes})) e`
      : sql`(${scopes}) s CROSS JOIN LATERAL (SELECT e.* FROM ${stateEntries} e
          WHERE e.scope_id = s.scope_id ORDER BY e.key LIMIT ${keysReadMax}) e`;
  return sql`SELECT ${columns} FROM ${source}
    WHERE e.value IS NOT NULL AND ${selectMatch(match, { words: sql`e.words`, text: selectStateText(sql`e`) })}`;
}

/**
 * Number of the newest progress entries that a substring search covers. Such a search has to read every
 * entry's content, so a limit is needed.
 */
const entriesReadMax = 1_000;

function findProgress({ match, sessionId }: SearchRequest, meshId: string): SQL {
  const columns = selectHit(
    sql`'progress'`,
    { key: sql`id` },
    sql`created_at`,
    selectRank(match, sql`words`),
  );
  const own = sessionId === undefined ? sql`` : sql`AND session_id = ${sessionId}`;
  const source =
    match.by !== "letters"
      ? sql`(SELECT * FROM ${progressEntries} WHERE mesh_id = ${meshId} ${own}) e`
      : sql`(SELECT * FROM ${progressEntries} WHERE mesh_id = ${meshId} ${own}
          ORDER BY created_at DESC, number DESC, id DESC LIMIT ${entriesReadMax}) e`;
  return sql`SELECT ${columns} FROM ${source}
    WHERE ${selectMatch(match, { words: sql`words`, text: selectProgressText(sql`e`) })}`;
}

/**
 * Number of the newest topic messages that a substring search covers. Such a search has to read every text,
 * so a limit is needed.
 */
const commentsReadMax = 1_000;

/** Searches the messages in topics. The column `memory` contains the topic's number. */
function findTopicMessages({ match, sessionId }: SearchRequest, meshId: string): SQL {
  const columns = sql`'topic' AS kind, t.session_id, c.sequence::bigint AS sequence, c.topic::bigint AS memory,
    NULL::int AS piece, NULL::text AS key, c.at AS at, ${selectRank(match, sql`c.words`)} AS rank`;
  const own = sessionId === undefined ? sql`` : sql`AND t.session_id = ${sessionId}`;
  const source =
    match.by !== "letters"
      ? sql`${topicMessages} c`
      : sql`(SELECT * FROM ${topicMessages} WHERE mesh_id = ${meshId}
          ORDER BY at DESC, topic DESC, sequence DESC LIMIT ${commentsReadMax}) c`;
  return sql`SELECT ${columns} FROM ${source} JOIN ${topics} t ON t.mesh_id = c.mesh_id AND t.number = c.topic
    WHERE c.mesh_id = ${meshId} ${own} AND ${selectMatch(match, { words: sql`c.words`, text: sql`c.text` })}`;
}

/**
 * Maximum number of characters of a marked text that are returned. This is enough to choose a good excerpt.
 */
const windowCharsMax = 4_000;
const windowCharsBefore = 200;

function selectExcerpt(marked: SQL): SQL {
  const start = sql`greatest(1, strpos(${marked}, '«') - ${windowCharsBefore})`;
  return sql`CASE WHEN ${start} > 1 THEN '…' ELSE '' END || substr(${marked}, ${start}, ${windowCharsMax})
    || CASE WHEN length(${marked}) - ${start} >= ${windowCharsMax} THEN '…' ELSE '' END`;
}
