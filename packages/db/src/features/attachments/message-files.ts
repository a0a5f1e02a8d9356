import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../../core/transactions.js";
import type { FileKey } from "./files.js";

export interface NamedFile {
  readonly name: string;
  readonly size: number;
  readonly type: string;
  readonly digest: string;
}

export interface FilesOfMessage {
  readonly sessionId: string;
  readonly messageId: string;
  /** The team or person that posts the message. */
  readonly ownerId: string;
  readonly files: readonly NamedFile[];
  readonly uploadHours: number;
}

/**
 * Notes that a message, which is about to be posted, names these files. A file counts only if the message's author
 * uploaded exactly it to this session (ATTACH-6). Called again for the same message, it changes nothing.
 *
 * @returns the digests that the message may name
 */
export async function nameFiles(
  db: Queryable,
  { sessionId, messageId, ownerId, files, uploadHours }: FilesOfMessage,
): Promise<readonly string[]> {
  const named = sql`jsonb_to_recordset(${JSON.stringify(files)}::text::jsonb) AS a (name text, size bigint, type text, digest text)`;
  await db.execute(sql`
    INSERT INTO message_files (session_id, message_id, mesh_id, file_id)
    SELECT DISTINCT u.session_id, ${messageId}::uuid, f.mesh_id, f.file_id
    FROM ${named}
    JOIN file_uploads u ON u.session_id = ${sessionId} AND u.owner_id = ${ownerId} AND u.name = a.name
      AND u.completed_at IS NOT NULL AND u.created_at > now() - make_interval(hours => ${uploadHours})
    JOIN files f ON f.mesh_id = u.mesh_id AND f.file_id = u.file_id
      AND f.digest = decode(a.digest, 'hex') AND f.size = a.size AND f.type = a.type
    ON CONFLICT DO NOTHING`);
  const rows = await db.execute<{ digest: string }>(sql`
    SELECT encode(f.digest, 'hex') AS digest
    FROM message_files m JOIN files f ON f.mesh_id = m.mesh_id AND f.file_id = m.file_id
    WHERE m.session_id = ${sessionId} AND m.message_id = ${messageId}`);
  return rows.map(({ digest }) => digest);
}

/**
 * Forgets the files of a message whose text is removed, and their uploads in its session, so that they cannot be
 * attached again. Deletes the bytes that nothing else names.
 */
export async function forgetMessageFiles(
  tx: Queryable,
  { sessionId, messageId }: Pick<FilesOfMessage, "sessionId" | "messageId">,
): Promise<void> {
  const forgotten = await tx.execute<{ meshId: string; fileId: string }>(sql`
    DELETE FROM message_files WHERE session_id = ${sessionId} AND message_id = ${messageId}
    RETURNING mesh_id AS "meshId", file_id AS "fileId"`);
  for (const { meshId, fileId } of forgotten) {
    await tx.execute(sql`
      DELETE FROM file_uploads WHERE session_id = ${sessionId} AND mesh_id = ${meshId} AND file_id = ${fileId}`);
    // A concurrent statement that names the file waits for this lock, and then finds the file deleted.
    await tx.execute(sql`SELECT FROM files WHERE mesh_id = ${meshId} AND file_id = ${fileId} FOR UPDATE`);
    await tx.execute(sql`
      WITH deleted AS (
        DELETE FROM files f WHERE f.mesh_id = ${meshId} AND f.file_id = ${fileId}
          AND NOT EXISTS (SELECT FROM file_uploads u WHERE u.mesh_id = f.mesh_id AND u.file_id = f.file_id)
          AND NOT EXISTS (SELECT FROM message_files m WHERE m.mesh_id = f.mesh_id AND m.file_id = f.file_id)
        RETURNING f.mesh_id, f.size
      )
      UPDATE file_usage u SET bytes = u.bytes - d.size FROM deleted d WHERE u.mesh_id = d.mesh_id`);
  }
}

/** Forgets the files of the message with this sequence, as its copy in an imported record was redacted. */
export async function forgetImportedFiles(tx: Queryable, sessionId: string, sequence: number): Promise<void> {
  const [message] = await tx.execute<{ id: string }>(
    sql`SELECT id FROM messages WHERE session_id = ${sessionId} AND sequence = ${sequence}`,
  );
  if (message) await forgetMessageFiles(tx, { sessionId, messageId: message.id });
}

/**
 * Notes the files that the messages of an imported session name, as far as the import has brought their bytes: a digest
 * in a message is not enough, because anyone can sign a record that names one.
 */
export async function nameImportedFiles(
  tx: Queryable,
  imported: { readonly sessionId: string; readonly meshId: string; readonly digests: readonly string[] },
): Promise<void> {
  const { sessionId, meshId, digests } = imported;
  await tx.execute(sql`
    INSERT INTO message_files (session_id, message_id, mesh_id, file_id, settled)
    SELECT DISTINCT m.session_id, m.id, f.mesh_id, f.file_id, true
    FROM messages m
    CROSS JOIN LATERAL jsonb_path_query(m.content::jsonb, '$.attachments[*]') AS a (file)
    JOIN json_array_elements_text(${JSON.stringify(digests)}::text::json) AS d (digest) ON d.digest = a.file ->> 'digest'
    JOIN files f ON f.mesh_id = ${meshId} AND f.digest = decode(d.digest, 'hex')
    WHERE m.session_id = ${sessionId} AND m.type = 'chat' AND m.content_hash IS NULL
      AND position('"attachments":' IN m.content) > 0
    ON CONFLICT DO NOTHING`);
}

/** A file that messages of a session name. */
export interface RecordedFile extends FileKey {
  readonly digest: string;
  readonly size: number;
}

/** Lists the files that messages up to a sequence name, each once and by digest, after the digest of the last page. */
export async function listRecordedFiles(
  db: Queryable,
  page: { readonly sessionId: string; readonly upTo: number; readonly after: string; readonly limit: number },
): Promise<readonly RecordedFile[]> {
  return db.execute<RecordedFile & Record<string, unknown>>(sql`
    SELECT f.mesh_id AS "meshId", f.file_id AS "fileId", encode(f.digest, 'hex') AS digest, f.size::float8 AS size
    FROM files f
    WHERE f.digest > decode(${page.after}, 'hex')
      AND (f.mesh_id, f.file_id) IN (
        SELECT l.mesh_id, l.file_id FROM message_files l WHERE l.session_id = ${page.sessionId})
      AND EXISTS (
        SELECT FROM message_files l JOIN messages m ON m.session_id = l.session_id AND m.id = l.message_id
        WHERE l.session_id = ${page.sessionId} AND l.mesh_id = f.mesh_id AND l.file_id = f.file_id
          AND m.sequence <= ${page.upTo}::bigint AND m.content_hash IS NULL AND ${names("f", "m")})
    ORDER BY f.digest LIMIT ${page.limit}`);
}

/** Returns the condition that a message's stored content names a file. In a text, the quotes would be escaped. */
function names(file: string, message: string): SQL {
  const digest = sql.raw(`${file}.digest`);
  return sql`position('"digest":"' || encode(${digest}, 'hex') || '"' IN ${sql.raw(`${message}.content`)}) > 0`;
}

/**
 * Checks what was named more than an hour ago, and forgets files whose message was never posted, or does not name
 * them: a post can fail after its files were noted. The messages of archived sessions are elsewhere.
 */
export async function settleMessageFiles(db: Queryable): Promise<number> {
  const due = sql`NOT l.settled AND l.named_at < now() - interval '1 hour'
    AND NOT EXISTS (SELECT FROM feeds a WHERE a.session_id = l.session_id AND a.archived_at IS NOT NULL)`;
  const isNamed = sql`EXISTS (
    SELECT FROM messages m JOIN files f ON f.mesh_id = l.mesh_id AND f.file_id = l.file_id
    WHERE m.session_id = l.session_id AND m.id = l.message_id AND ${names("f", "m")})`;
  const { count } = await db.execute(sql`DELETE FROM message_files l WHERE ${due} AND NOT ${isNamed}`);
  await db.execute(sql`UPDATE message_files l SET settled = true WHERE ${due} AND ${isNamed}`);
  return count;
}

export interface MessageWithFiles {
  readonly sequence: number;
  readonly authorTeam: string | null;
  readonly postedAt: Date;
  readonly content: string;
}

/** Lists the messages of a session that carry files, newest first, before the message with this number. */
export async function listMessagesWithFiles(
  db: Queryable,
  page: { readonly sessionId: string; readonly before: number | null; readonly limit: number },
): Promise<readonly MessageWithFiles[]> {
  const rows = await db.execute<Omit<MessageWithFiles, "postedAt"> & { postedAt: string }>(sql`
    SELECT m.sequence::float8 AS sequence, m.author_team AS "authorTeam", m.content,
           to_json(m.posted_at) #>> '{}' AS "postedAt"
    FROM messages m
    WHERE m.session_id = ${page.sessionId} AND m.content_hash IS NULL
      AND m.id IN (SELECT message_id FROM message_files WHERE session_id = ${page.sessionId})
      ${page.before === null ? sql`` : sql`AND m.sequence < ${page.before}::bigint`}
    ORDER BY m.sequence DESC LIMIT ${page.limit}`);
  return rows.map((row) => ({ ...row, postedAt: new Date(row.postedAt) }));
}
