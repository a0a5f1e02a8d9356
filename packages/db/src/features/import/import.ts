import { type MessageFields, messageFieldNames, messageFields } from "@merkle/wire";
import { and, eq, sql } from "drizzle-orm";
import { documents, feeds, importFiles, originKeys, sessions } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";
import type { AuditKeyRow } from "../../identity/audit-keys.js";

/** A session imported from another broker, and how much of it has been imported. */
export interface ImportedSessionRow {
  readonly sessionId: string;
  readonly slug: string;
  readonly size: number;
  readonly documentVersion: number;
}

/** Locks a record within the mesh, so that no one else can import it until the transaction ends. */
export async function holdImport(tx: Transaction, meshId: string, recordId: string): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`import ${meshId} ${recordId}`}, 0))`);
}

/**
 * Finds the session that was imported into the mesh with this record id and origin key. Returns null if there
 * is none.
 */
export async function findImported(
  db: Queryable,
  meshId: string,
  { recordId, originKey }: { readonly recordId: string; readonly originKey: string },
): Promise<ImportedSessionRow | null> {
  const [row] = await db
    .select({
      sessionId: sessions.sessionId,
      slug: sessions.slug,
      size: feeds.lastSequence,
      documentVersion: documents.version,
    })
    .from(sessions)
    .innerJoin(feeds, eq(feeds.sessionId, sessions.sessionId))
    .innerJoin(documents, eq(documents.sessionId, sessions.sessionId))
    .where(
      and(eq(sessions.meshId, meshId), eq(sessions.originId, recordId), eq(sessions.originKey, originKey)),
    );
  return row ?? null;
}

export interface NewImport {
  readonly sessionId: string;
  readonly meshId: string;
  readonly recordId: string;
  readonly originKey: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly createdByTeamId: string;
  readonly settings: unknown;
  readonly createdAt: Date;
  readonly closedAt: Date;
}

/** Inserts an imported session, which is closed and still has no messages. */
export async function insertImport(
  tx: Transaction,
  { recordId, closedAt, ...row }: NewImport,
): Promise<void> {
  const importedAt = new Date();
  await tx.insert(sessions).values({ ...row, updatedAt: row.createdAt, originId: recordId, importedAt });
  await tx.insert(feeds).values({ sessionId: row.sessionId, closedAt });
  await tx.insert(documents).values({ sessionId: row.sessionId, updatedAt: row.createdAt });
}

/**
 * A message with the sequence, id, time and salt that its original broker assigned. Fields that only have a
 * meaning on that broker are left out.
 */
export type ImportedMessageRow = Omit<MessageFields, HereAlone>;

type HereAlone = "session_id" | "posted_by_peer_id" | "reaches";
const hereAlone: ReadonlySet<string> = new Set<HereAlone>(["session_id", "posted_by_peer_id", "reaches"]);

const imported = messageFieldNames
  .filter((name) => !hereAlone.has(name))
  .map((name) => ({ name, type: messageFields[name].type }));
const importedColumns = sql.raw(imported.map(({ name }) => name).join(", "));
const importedValues = sql.raw(
  imported.map(({ name, type }) => (type === "bytea" ? `decode(${name}, 'hex')` : name)).join(", "),
);
const importedForm = sql.raw(
  imported.map(({ name, type }) => `${name} ${type === "bytea" ? "text" : type}`).join(", "),
);

/**
 * Inserts messages after the existing ones. The messages are neither numbered nor announced here.
 * `append_messages` cannot be used, because it assigns sequences itself. The caller must hold the import's
 * lock.
 */
export async function insertImportedMessages(
  tx: Transaction,
  sessionId: string,
  rows: readonly ImportedMessageRow[],
): Promise<void> {
  await tx.execute(sql`
    INSERT INTO messages (session_id, ${importedColumns})
    SELECT ${sessionId}::uuid, ${importedValues}
    FROM json_to_recordset(${JSON.stringify(rows)}::text::json) AS r (${importedForm})`);
}

/** The position and times at the end of an imported feed. */
export interface ImportedFeedEnd {
  readonly lastSequence: number;
  /** Time of the last message. Null if there is none. */
  readonly lastPostedAt: Date | null;
  /** Sequence of the last chat message, or 0 if there is none. */
  readonly lastChatSequence: number;
}

/**
 * Moves the head of an imported feed to its last message. The caller passes the position, because finding it
 * would require reading the whole feed.
 */
export async function finishImportedFeed(
  tx: Transaction,
  sessionId: string,
  { closedAt, ...end }: ImportedFeedEnd & { readonly closedAt: Date },
): Promise<void> {
  await tx
    .update(feeds)
    .set({ closedAt, ...end })
    .where(eq(feeds.sessionId, sessionId));
}

export interface ImportedVersionRow {
  readonly version: number;
  /** The document's text at this version. Null if it was removed. */
  readonly content: string | null;
  readonly written_by_team_id: string;
  readonly written_by: string;
  readonly written_at: string;
  readonly after_sequence: number;
  readonly salt: string | null;
  readonly content_hash: string | null;
}

/** Inserts versions of an imported document after the existing ones. */
export async function insertImportedVersions(
  tx: Transaction,
  sessionId: string,
  rows: readonly ImportedVersionRow[],
): Promise<void> {
  await tx.execute(sql`
    INSERT INTO document_versions (session_id, version, content, written_by_team_id, written_by, written_at, after_sequence,
                                   salt, content_hash)
    SELECT ${sessionId}::uuid, version, content, written_by_team_id, written_by, written_at, after_sequence,
           decode(salt, 'hex'), decode(content_hash, 'hex')
    FROM json_to_recordset(${JSON.stringify(rows)}::text::json) AS r (
      version integer, content text, written_by_team_id uuid, written_by text, written_at timestamptz,
      after_sequence bigint, salt text, content_hash text)`);
}

/** Makes the last imported version the current document. */
export async function finishImportedDocument(
  tx: Transaction,
  sessionId: string,
  conclusion: string | null,
): Promise<void> {
  await tx.execute(sql`
    UPDATE documents SET version = v.version, content = coalesce(v.content, ''), updated_at = v.written_at,
      conclusion = ${conclusion}
    FROM (SELECT version, content, written_at FROM document_versions WHERE session_id = ${sessionId}
          ORDER BY version DESC LIMIT 1) v
    WHERE documents.session_id = ${sessionId}`);
}

export interface ImportedTeamRow {
  readonly team_id: string;
  readonly name: string;
  readonly kind: "agent" | "human" | "guest";
  /** Hash of a secret that no one knows. An imported team can be shown, but no one can authenticate as it. */
  readonly secret_hash: string;
  readonly joined_at: string;
  readonly left_at: string;
  readonly colour: number;
  readonly peers: readonly ImportedPeerRow[];
}

export interface ImportedPeerRow {
  readonly peer_id: string;
  /** Name of the peer. Null for the unnamed peer that every team has. */
  readonly name: string | null;
  readonly secret_hash: string | null;
  readonly role: string | null;
  readonly groups: readonly { readonly name: string; readonly role: string | null }[];
  readonly joined_at: string;
  readonly left_at: string;
}

/**
 * Inserts the participants of an imported session, for display only. Does not change existing participants.
 */
export async function insertImportedTeams(
  tx: Transaction,
  sessionId: string,
  rows: readonly ImportedTeamRow[],
): Promise<void> {
  const given = sql`json_to_recordset(${JSON.stringify(rows)}::text::json) AS t (
    team_id uuid, name text, kind text, secret_hash text, joined_at timestamptz, left_at timestamptz, colour integer, peers json)`;
  await tx.execute(sql`
    WITH added AS (
      INSERT INTO teams (session_id, team_id, name, kind, secret_hash, joined_at, left_at, colour)
      SELECT ${sessionId}::uuid, team_id, name, kind, decode(secret_hash, 'hex'), joined_at, left_at, colour FROM ${given}
      ON CONFLICT DO NOTHING
      RETURNING team_id
    )
    INSERT INTO peers (session_id, peer_id, team_id, name, secret_hash, role, groups, joined_at, left_at)
    SELECT ${sessionId}::uuid, p.peer_id, t.team_id, p.name, decode(p.secret_hash, 'hex'), p.role, p.groups, p.joined_at, p.left_at
    FROM ${given} JOIN added USING (team_id)
    CROSS JOIN LATERAL json_to_recordset(t.peers) AS p (
      peer_id uuid, name text, secret_hash text, role text, groups jsonb, joined_at timestamptz, left_at timestamptz)
    ON CONFLICT DO NOTHING`);
}

export interface ImportedStateRow {
  readonly key: string;
  readonly version: number;
  /** The value as canonical JSON. */
  readonly value: string;
  readonly updated_by: string;
  readonly updated_at: string;
}

/** Replaces the session's state with its state on the original broker. */
export async function replaceImportedState(
  tx: Transaction,
  sessionId: string,
  rows: readonly ImportedStateRow[],
): Promise<void> {
  await tx.execute(sql`DELETE FROM state_versions WHERE scope_id = ${sessionId}`);
  await tx.execute(sql`DELETE FROM state_entries WHERE scope_id = ${sessionId}`);
  const given = sql`json_to_recordset(${JSON.stringify(rows)}::text::json) AS s (
    key text, version integer, value text, updated_by text, updated_at timestamptz)`;
  await tx.execute(sql`
    INSERT INTO state_entries (scope_id, key, version, value, updated_by, updated_by_peer_id, updated_at, announced_version)
    SELECT ${sessionId}::uuid, key, version, value, updated_by, '00000000-0000-0000-0000-000000000000', updated_at, version
    FROM ${given}`);
  await tx.execute(sql`
    INSERT INTO state_versions (scope_id, key, version, value, updated_by, updated_at)
    SELECT ${sessionId}::uuid, key, version, value, updated_by, updated_at FROM ${given}`);
}

/** Stores the public keys that signed the heads of an imported session. */
export async function keepOriginKeys(
  tx: Transaction,
  sessionId: string,
  keys: readonly AuditKeyRow[],
): Promise<void> {
  if (keys.length === 0) return;
  await tx
    .insert(originKeys)
    .values(keys.map((key) => ({ sessionId, ...key })))
    .onConflictDoNothing();
}

/** Stores a file of an imported bundle unchanged, and replaces an earlier copy. */
export async function saveImportFile(
  tx: Transaction,
  { sessionId, name }: { readonly sessionId: string; readonly name: string },
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  await tx.delete(importFiles).where(and(eq(importFiles.sessionId, sessionId), eq(importFiles.name, name)));
  let part = 0;
  for await (const bytes of chunks) {
    await tx.insert(importFiles).values({ sessionId, name, part, bytes });
    part += 1;
  }
  // An empty file still needs one row, because it would otherwise seem to be missing.
  if (part === 0) await tx.insert(importFiles).values({ sessionId, name, part, bytes: new Uint8Array() });
}
