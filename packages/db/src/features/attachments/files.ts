import { type SQL, sql } from "drizzle-orm";
import { fileChunks, files } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";

export interface FileKey {
  readonly meshId: string;
  readonly fileId: string;
}

export interface StoredFile extends FileKey {
  readonly size: number;
  readonly type: string;
}

/** Finds a complete file of a mesh by the SHA-256 of its bytes. */
export async function findFile(
  db: Queryable,
  meshId: string,
  digest: Uint8Array,
): Promise<StoredFile | null> {
  const [row] = await db.execute<{ fileId: string; size: number; type: string }>(sql`
    SELECT file_id AS "fileId", size::float8 AS size, type FROM files
    WHERE mesh_id = ${meshId} AND digest = ${sql.param(digest, files.digest)}::bytea`);
  return row ? { meshId, ...row } : null;
}

/** Finds a file that a message names, by the SHA-256 of its bytes. Knowing a digest is not enough. */
export async function findFileOfMessage(
  db: Queryable,
  { sessionId, messageId }: { readonly sessionId: string; readonly messageId: string },
  digest: Uint8Array,
): Promise<StoredFile | null> {
  const [row] = await db.execute<{ meshId: string; fileId: string; size: number; type: string }>(sql`
    SELECT f.mesh_id AS "meshId", f.file_id AS "fileId", f.size::float8 AS size, f.type
    FROM message_files m JOIN files f ON f.mesh_id = m.mesh_id AND f.file_id = m.file_id
    WHERE m.session_id = ${sessionId} AND m.message_id = ${messageId}
      AND f.digest = ${sql.param(digest, files.digest)}::bytea`);
  return row ?? null;
}

/** Returns the digest and type of a complete file, or null. */
export async function readFileFacts(
  db: Queryable,
  { meshId, fileId }: FileKey,
): Promise<{ readonly digest: string; readonly size: number; readonly type: string } | null> {
  const [row] = await db.execute<{ digest: string; size: number; type: string }>(sql`
    SELECT encode(digest, 'hex') AS digest, size::float8 AS size, type FROM files
    WHERE mesh_id = ${meshId} AND file_id = ${fileId} AND digest IS NOT NULL`);
  return row ?? null;
}

/**
 * Adds an empty file for the cleaned copy of an image. The copy is never larger than the upload, which is deleted
 * afterwards, so it is counted but not refused.
 */
export async function addCopy(db: Queryable, { meshId, fileId }: FileKey, size: number): Promise<void> {
  await db.execute(sql`
    WITH counted AS (
      UPDATE file_usage SET bytes = bytes + ${size}::bigint WHERE mesh_id = ${meshId} RETURNING mesh_id
    )
    INSERT INTO files (mesh_id, file_id, size) SELECT mesh_id, ${fileId}::uuid, ${size}::bigint FROM counted`);
}

/**
 * Adds an empty file for bytes that an import brings, unless the files of the mesh would then have more than `bytesMax`.
 *
 * @returns false if there is no room
 */
export async function addImportedFile(
  db: Queryable,
  { meshId, fileId, size }: FileKey & { readonly size: number },
  bytesMax: number,
): Promise<boolean> {
  const { count } = await db.execute(sql`
    WITH room AS (${takeRoom({ meshId, size, bytesMax })})
    INSERT INTO files (mesh_id, file_id, size) SELECT mesh_id, ${fileId}::uuid, ${size}::bigint FROM room`);
  return count > 0;
}

/**
 * Returns the statement that counts bytes in, if there is room for them. The limit is checked in the row that counts
 * them, so that files that are added at the same time cannot exceed it together.
 */
export function takeRoom(room: {
  readonly meshId: string;
  readonly size: number;
  readonly bytesMax: number;
}): SQL {
  const { meshId, size, bytesMax } = room;
  return sql`
    INSERT INTO file_usage AS u (mesh_id, bytes)
    SELECT ${meshId}::uuid, ${size}::bigint WHERE ${size}::bigint <= ${bytesMax}::bigint
    ON CONFLICT (mesh_id) DO UPDATE SET bytes = u.bytes + excluded.bytes
      WHERE u.bytes + excluded.bytes <= ${bytesMax}::bigint
    RETURNING mesh_id`;
}

/** Completes an imported file. A unique constraint refuses bytes that the mesh already has. */
export async function completeImportedFile(
  db: Queryable,
  { meshId, fileId, digest, type }: FileKey & { readonly digest: Uint8Array; readonly type: string },
): Promise<void> {
  await db.execute(sql`
    UPDATE files SET digest = ${sql.param(digest, files.digest)}::bytea, type = ${type}
    WHERE mesh_id = ${meshId} AND file_id = ${fileId}`);
}

export async function insertChunk(
  db: Queryable,
  { meshId, fileId }: FileKey,
  { start, bytes }: { readonly start: number; readonly bytes: Uint8Array },
): Promise<void> {
  await db.insert(fileChunks).values({ meshId, fileId, start, bytes });
}

/** Returns the chunk that contains the byte at `offset`, or null after the last byte that is stored. */
export async function readChunk(
  db: Queryable,
  { meshId, fileId }: FileKey,
  offset: number,
): Promise<{ readonly start: number; readonly bytes: Uint8Array } | null> {
  const [row] = await db.execute<{ start: number; bytes: Uint8Array }>(sql`
    SELECT start::float8 AS start, bytes FROM file_chunks
    WHERE mesh_id = ${meshId} AND file_id = ${fileId} AND start <= ${offset}::bigint
    ORDER BY start DESC LIMIT 1`);
  return row && offset < row.start + row.bytes.length ? row : null;
}

const deletedAtOnce = 100;

/**
 * Deletes files that no upload and no message names, and counts them out. A file that is named meanwhile stays: the
 * foreign key refuses the deletion, and the next call leaves the file out.
 *
 * @returns the number of files and bytes that were deleted, at most 100 files
 */
export async function deleteUnnamedFiles(
  db: Queryable,
): Promise<{ readonly files: number; readonly bytes: number }> {
  const [row] = await db.execute<{ files: number; bytes: number }>(sql`
    WITH unnamed AS (
      SELECT f.mesh_id, f.file_id FROM files f
      WHERE NOT EXISTS (SELECT FROM file_uploads u WHERE u.mesh_id = f.mesh_id AND u.file_id = f.file_id)
        AND NOT EXISTS (SELECT FROM message_files m WHERE m.mesh_id = f.mesh_id AND m.file_id = f.file_id)
        -- A cleaned copy and an imported file are named only once they are complete.
        AND f.created_at < now() - interval '1 hour'
      ORDER BY f.mesh_id, f.file_id LIMIT ${deletedAtOnce}
      FOR UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM files f USING unnamed n WHERE f.mesh_id = n.mesh_id AND f.file_id = n.file_id
      RETURNING f.mesh_id, f.size
    ), counted AS (
      UPDATE file_usage u SET bytes = u.bytes - d.bytes
      FROM (SELECT mesh_id, sum(size)::bigint AS bytes FROM deleted GROUP BY mesh_id) d
      WHERE u.mesh_id = d.mesh_id
    )
    SELECT count(*)::int AS files, coalesce(sum(size), 0)::float8 AS bytes FROM deleted`);
  return row ?? { files: 0, bytes: 0 };
}
