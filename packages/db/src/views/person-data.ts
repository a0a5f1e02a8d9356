import { type SQL, sql } from "drizzle-orm";
import type { Queryable, Transaction } from "../core/transactions.js";

/** A person in a mesh, with the id of the member who is this person, if there is one. */
export interface DataSubject {
  readonly meshId: string;
  readonly personId: string;
  readonly memberId: string | null;
  readonly name: string;
}

/** Lists the people in a mesh who have this name or id. */
export async function listPersonsNamed(
  db: Queryable,
  meshId: string,
  nameOrId: string,
): Promise<DataSubject[]> {
  const rows = await db.execute<{ personId: string; memberId: string | null; name: string }>(sql`
    SELECT person_id AS "personId", member_id AS "memberId", name FROM persons
    WHERE mesh_id = ${meshId} AND (lower(name) = lower(${nameOrId}) OR person_id::text = ${nameOrId})
    ORDER BY created_at, person_id`);
  return rows.map((row) => ({ meshId, ...row }));
}

/** Selects the person's own teams, in all sessions of the mesh. */
const selectOwnTeams = ({ meshId, personId }: DataSubject): SQL => sql`(
  SELECT t.session_id, t.team_id FROM teams t JOIN sessions s ON s.session_id = t.session_id
  WHERE t.person_id = ${personId} AND s.mesh_id = ${meshId})`;

/** Selects the person's own teams and the teams of the person's agents, in all sessions of the mesh. */
const selectAllTeams = ({ meshId, personId, memberId }: DataSubject): SQL => sql`(
  SELECT t.session_id, t.team_id FROM teams t JOIN sessions s ON s.session_id = t.session_id
  WHERE (t.person_id = ${personId} OR t.member_id = ${memberId}) AND s.mesh_id = ${meshId})`;

/**
 * Returns the condition that a row belongs to the person, for rows that identify their author only by name.
 * The condition is met if the person's own team in the row's session has that name.
 */
const isSignedByPerson = (person: DataSubject, alias: string, by: string): SQL => sql`
  ${sql.raw(`${alias}.mesh_id`)} = ${person.meshId} AND EXISTS (SELECT FROM teams t
    WHERE t.session_id = ${sql.raw(`${alias}.session_id`)} AND t.person_id = ${person.personId}
      AND t.name = ${sql.raw(`${alias}.${by}`)})`;

/** Returns the condition that an upload is the person's own, or one of the person's agents'. */
const isUploadOf = (person: DataSubject): SQL => sql`
  u.mesh_id = ${person.meshId} AND (u.owner_id = ${person.personId}
    OR (u.session_id, u.owner_id) IN ${selectAllTeams(person)})`;

/** Selects the archived sessions in which the person took part. */
function selectArchived(person: DataSubject): SQL {
  return sql`
    SELECT s.session_id, s.slug, f.archived_at FROM sessions s JOIN feeds f ON f.session_id = s.session_id
    WHERE f.archived_at IS NOT NULL AND s.session_id IN (SELECT t.session_id FROM ${selectOwnTeams(person)} t)
    ORDER BY s.session_id`;
}

/** Lists the slugs of archived sessions in which the person took part, up to `limit`. */
export async function listArchivedSessionsOf(
  db: Queryable,
  person: DataSubject,
  limit: number,
): Promise<string[]> {
  const rows = await db.execute<{ slug: string }>(
    sql`SELECT slug FROM (${selectArchived(person)} LIMIT ${limit}) a`,
  );
  return rows.map(({ slug }) => slug);
}

/**
 * The kinds of data stored about a person, in export order and with one query per kind. Secrets and their
 * hashes are left out.
 */
const kinds: readonly (readonly [kind: string, rows: (person: DataSubject) => SQL])[] = [
  [
    "profile",
    ({ meshId, personId }) => sql`
    SELECT name, created_at, verified_at, member_id FROM persons
    WHERE mesh_id = ${meshId} AND person_id = ${personId}`,
  ],
  [
    "membership",
    ({ meshId, memberId }) => sql`
    SELECT name, role, encode(public_key, 'hex') AS public_key, joined_at, revoked_at FROM members
    WHERE mesh_id = ${meshId} AND member_id = ${memberId}`,
  ],
  [
    "token",
    ({ meshId, memberId }) => sql`
    SELECT number, kind, label, created_at, expires_at, last_used_at, revoked_at FROM tokens
    WHERE mesh_id = ${meshId} AND (member_id = ${memberId} OR created_by = ${memberId}) ORDER BY number`,
  ],
  [
    "alert",
    ({ meshId, personId }) => sql`
    SELECT kind, name, about, quiet, created_at, last_sent_at FROM alert_targets
    WHERE mesh_id = ${meshId} AND person_id = ${personId} ORDER BY target_id`,
  ],
  [
    "read",
    ({ meshId, personId }) => sql`
    SELECT session_id, last_read FROM person_reads
    WHERE mesh_id = ${meshId} AND person_id = ${personId} ORDER BY session_id`,
  ],
  [
    "dismissed",
    ({ meshId, personId }) => sql`
    SELECT item, until, at FROM dismissals
    WHERE mesh_id = ${meshId} AND person_id = ${personId} ORDER BY item`,
  ],
  [
    "approval",
    ({ meshId, personId }) => sql`
    SELECT number, session_id, asked_by, tool, input, folder, state, words, answers, own, again, allowed_by, asked_at, ended_at FROM approvals
    WHERE mesh_id = ${meshId} AND person_id = ${personId} ORDER BY number`,
  ],
  [
    "team",
    (person) => sql`
    SELECT t.session_id, s.slug, t.team_id, t.name, t.kind, t.joined_at, t.left_at FROM teams t
    JOIN sessions s ON s.session_id = t.session_id
    WHERE (t.session_id, t.team_id) IN ${selectAllTeams(person)} ORDER BY t.session_id, t.team_id`,
  ],
  [
    "peer",
    (person) => sql`
    SELECT p.session_id, p.team_id, p.peer_id, p.name, p.role, p.machine, p.cwd, p.summary, p.joined_at, p.last_seen_at
    FROM peers p WHERE (p.session_id, p.team_id) IN ${selectAllTeams(person)} ORDER BY p.session_id, p.peer_id`,
  ],
  [
    "upload",
    (person) => sql`
    SELECT u.session_id, u.name, u.size, u.received, u.created_at, u.completed_at FROM file_uploads u
    WHERE ${isUploadOf(person)} ORDER BY u.session_id, u.created_at, u.upload_id`,
  ],
  [
    "usage",
    (person) => sql`
    SELECT u.session_id, u.day, u.peer_id, u.task, u.model, u.source, u.input_tokens, u.output_tokens, u.cost_micros
    FROM usage u JOIN peers p ON p.session_id = u.session_id AND p.peer_id = u.peer_id
    WHERE (p.session_id, p.team_id) IN ${selectAllTeams(person)}
    ORDER BY u.session_id, u.day, u.peer_id, u.task, u.model, u.source`,
  ],
  [
    "checkout",
    (person) => sql`
    SELECT c.session_id, c.peer_id, c.task, c.checkout, c.reported_at
    FROM checkouts c JOIN peers p ON p.session_id = c.session_id AND p.peer_id = c.peer_id
    WHERE (p.session_id, p.team_id) IN ${selectAllTeams(person)} ORDER BY c.session_id, c.peer_id, c.task`,
  ],
  [
    "comment",
    ({ meshId, personId }) => sql`
    SELECT topic, sequence, author, text, at FROM topic_messages
    WHERE mesh_id = ${meshId} AND person_id = ${personId} ORDER BY topic, sequence`,
  ],
  [
    "memory",
    (person) => sql`
    SELECT m.number, m.content, m.tags, m.session_id, m.remembered_at FROM memories m
    WHERE ${isSignedByPerson(person, "m", "remembered_by")} ORDER BY m.number`,
  ],
  [
    "progress",
    (person) => sql`
    SELECT e.id, e.project_id, e.title, e.content, e.tags, e.session_id, e.created_at FROM progress_entries e
    WHERE ${isSignedByPerson(person, "e", "logged_by")} ORDER BY e.id`,
  ],
  [
    "document_version",
    (person) => sql`
    SELECT v.session_id, v.version, v.written_at, v.content FROM document_versions v
    WHERE (v.session_id, v.written_by_team_id) IN ${selectOwnTeams(person)} ORDER BY v.session_id, v.version`,
  ],
  [
    "message",
    (person) => sql`
    SELECT m.session_id, m.sequence, m.posted_at, m.recipients, m.reply_to, m.content FROM messages m
    WHERE (m.session_id, m.posted_by_team_id) IN ${selectOwnTeams(person)} ORDER BY m.session_id, m.sequence`,
  ],
  // The other kinds do not include the person's texts in archived sessions, so those sessions are listed.
  ["archived_session", selectArchived],
];

export interface PersonDataRow {
  readonly kind: string;
  readonly row: Record<string, unknown>;
}

/**
 * A position in the export of a person's data: the index of a kind, and the number of its rows already read.
 */
export interface PersonDataPosition {
  readonly kind: number;
  readonly rows: number;
}

/** Reads the next rows of a person's data from a position. `next` is null at the end. */
export async function readPersonData(
  db: Queryable,
  person: DataSubject,
  { kind, rows: offset }: PersonDataPosition,
  limit: number,
): Promise<{ rows: PersonDataRow[]; next: PersonDataPosition | null }> {
  const [name, query] = kinds[kind] ?? [];
  if (name === undefined || query === undefined) return { rows: [], next: null };
  const found = await db.execute<{ row: Record<string, unknown> }>(
    sql`SELECT to_jsonb(r) AS row FROM (${query(person)} LIMIT ${limit} OFFSET ${offset}) r`,
  );
  const rows = found.map(({ row }) => ({ kind: name, row }));
  if (found.length === limit) return { rows, next: { kind, rows: offset + limit } };
  return { rows, next: kind + 1 < kinds.length ? { kind: kind + 1, rows: 0 } : null };
}

/** A person's text in a feed or document that has not been removed yet. */
export interface PersonText {
  readonly sessionId: string;
  readonly slug: string;
  readonly imported: boolean;
  /** Sequence of the message. Null for a document version, which has a `version` instead. */
  readonly sequence: number | null;
  readonly version: number | null;
  /** True if this is the current version of the document. */
  readonly newest: boolean;
}

/**
 * Lists texts by the person, up to `limit`. Texts that cannot be removed come last, so they appear only if no
 * others are left.
 */
export async function listPersonTexts(
  db: Queryable,
  person: DataSubject,
  limit: number,
): Promise<PersonText[]> {
  const rows = await db.execute<PersonText & Record<string, unknown>>(sql`
    SELECT o.session_id AS "sessionId", s.slug, s.imported_at IS NOT NULL AS imported,
           o.sequence::float8 AS sequence, o.version, coalesce(o.version = d.version, false) AS newest
    FROM (
      SELECT m.session_id, m.sequence, NULL::int AS version FROM messages m
      WHERE (m.session_id, m.posted_by_team_id) IN ${selectOwnTeams(person)} AND m.salt IS NOT NULL
      UNION ALL
      SELECT v.session_id, NULL, v.version FROM document_versions v
      WHERE (v.session_id, v.written_by_team_id) IN ${selectOwnTeams(person)} AND v.salt IS NOT NULL) o
    JOIN sessions s ON s.session_id = o.session_id JOIN documents d ON d.session_id = o.session_id
    ORDER BY s.imported_at IS NOT NULL OR coalesce(o.version = d.version, false), o.session_id, o.sequence, o.version
    LIMIT ${limit}`);
  return [...rows];
}

/** The name that replaces an erased person's name. */
export const erasedName = "(erased)";

/**
 * Erases a person's data outside feeds and documents. The person's row stays, because other rows refer to it,
 * but its name is replaced and its secret becomes unusable.
 */
export async function erasePersonRows(tx: Transaction, person: DataSubject): Promise<void> {
  const { meshId, personId, memberId } = person;
  const statements = [
    sql`DELETE FROM alert_targets WHERE mesh_id = ${meshId} AND person_id = ${personId}`,
    sql`DELETE FROM dismissals WHERE mesh_id = ${meshId} AND person_id = ${personId}`,
    sql`DELETE FROM person_reads WHERE mesh_id = ${meshId} AND person_id = ${personId}`,
    sql`DELETE FROM approvals WHERE mesh_id = ${meshId} AND person_id = ${personId}`,
    sql`DELETE FROM further_secrets WHERE scope_id = ${meshId} AND id = ${personId}`,
    sql`DELETE FROM usage u USING peers p WHERE p.session_id = u.session_id AND p.peer_id = u.peer_id
      AND (p.session_id, p.team_id) IN ${selectAllTeams(person)}`,
    sql`DELETE FROM file_uploads u WHERE ${isUploadOf(person)}`,
    sql`DELETE FROM checkouts c USING peers p WHERE p.session_id = c.session_id AND p.peer_id = c.peer_id
      AND (p.session_id, p.team_id) IN ${selectAllTeams(person)}`,
    sql`UPDATE peers SET cwd = NULL, machine = NULL, summary = NULL, summary_at = NULL,
        declared_status = NULL, declared_reason = NULL, declared_at = NULL
      WHERE (session_id, team_id) IN ${selectAllTeams(person)}`,
    sql`UPDATE topic_messages SET text = ${erasedName}, author = ${erasedName}
      WHERE mesh_id = ${meshId} AND person_id = ${personId}`,
    sql`UPDATE memories m SET content = ${erasedName}, tags = '{}', remembered_by = ${erasedName},
        forgotten_by = ${erasedName}, forget_reason = ${erasedName}, forgotten_at = coalesce(m.forgotten_at, now())
      WHERE ${isSignedByPerson(person, "m", "remembered_by")}`,
    sql`DELETE FROM progress_entries e WHERE ${isSignedByPerson(person, "e", "logged_by")}`,
    sql`UPDATE tokens SET label = NULL WHERE mesh_id = ${meshId} AND (member_id = ${memberId} OR created_by = ${memberId})`,
    sql`UPDATE invites SET inviter = ${erasedName} WHERE mesh_id = ${meshId} AND invited_by = ${memberId}`,
    sql`UPDATE members SET name = ${erasedName} WHERE mesh_id = ${meshId} AND member_id = ${memberId}`,
    sql`UPDATE persons SET name = ${erasedName}, verified_at = NULL, secret_hash = sha256(uuid_send(gen_random_uuid()))
      WHERE mesh_id = ${meshId} AND person_id = ${personId}`,
  ];
  for (const statement of statements) await tx.execute(statement);
}
