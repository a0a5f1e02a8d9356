import { and, eq, isNull, sql } from "drizzle-orm";
import { fileChunks, files, fileUploads } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";
import { takeRoom } from "./files.js";

export interface UploadKey {
  readonly sessionId: string;
  /** The team that uploads, or the person. */
  readonly ownerId: string;
  readonly uploadId: string;
}

export interface Upload extends UploadKey {
  readonly meshId: string;
  readonly fileId: string;
  readonly name: string;
  readonly keepMetadata: boolean;
  /** Size of the file as it is sent. */
  readonly size: number;
}

export interface StoredUpload extends Upload {
  /** Number of bytes that have arrived. They are always the file's first. */
  readonly received: number;
  readonly completedAt: Date | null;
}

/**
 * Starts an upload, unless the files of the mesh would then have more than `bytesMax`.
 *
 * @returns false if there is no room
 */
export async function startUpload(db: Queryable, upload: Upload, bytesMax: number): Promise<boolean> {
  const { sessionId, ownerId, uploadId, meshId, fileId, name, keepMetadata, size } = upload;
  const { count } = await db.execute(sql`
    WITH room AS (${takeRoom({ meshId, size, bytesMax })}), stored AS (
      INSERT INTO files (mesh_id, file_id, size)
      SELECT mesh_id, ${fileId}::uuid, ${size}::bigint FROM room RETURNING mesh_id, file_id
    )
    INSERT INTO file_uploads (session_id, owner_id, upload_id, mesh_id, file_id, name, keep_metadata, size)
    SELECT ${sessionId}::uuid, ${ownerId}::uuid, ${uploadId}::uuid, mesh_id, file_id, ${name}::text,
           ${keepMetadata}::boolean, ${size}::bigint
    FROM stored`);
  return count > 0;
}

export async function findUpload(db: Queryable, key: UploadKey): Promise<StoredUpload | null> {
  const [row] = await db
    .select({
      sessionId: fileUploads.sessionId,
      ownerId: fileUploads.ownerId,
      uploadId: fileUploads.uploadId,
      meshId: fileUploads.meshId,
      fileId: fileUploads.fileId,
      name: fileUploads.name,
      keepMetadata: fileUploads.keepMetadata,
      size: fileUploads.size,
      received: fileUploads.received,
      completedAt: fileUploads.completedAt,
    })
    .from(fileUploads)
    .where(isUpload(key));
  return row ?? null;
}

/**
 * Stores the next bytes of an upload. The offset is checked in the statement, so that of two senders that continue the
 * same upload one is refused.
 *
 * @returns false if the upload does not continue at `start`
 */
export async function appendToUpload(
  db: Queryable,
  key: UploadKey,
  { start, bytes }: { readonly start: number; readonly bytes: Uint8Array },
): Promise<boolean> {
  const { count } = await db.execute(sql`
    WITH moved AS (
      UPDATE file_uploads SET received = received + ${bytes.length}::bigint
      WHERE ${isUpload(key)} AND received = ${start}::bigint AND received + ${bytes.length}::bigint <= size
        AND completed_at IS NULL
      RETURNING mesh_id, file_id
    )
    INSERT INTO file_chunks (mesh_id, file_id, start, bytes)
    SELECT mesh_id, file_id, ${start}::bigint, ${sql.param(bytes, fileChunks.bytes)}::bytea FROM moved`);
  return count > 0;
}

/**
 * Completes an upload with a file that the mesh already has.
 *
 * @returns false if the mesh has no file with this digest
 */
export async function completeWithStored(
  db: Queryable,
  key: UploadKey,
  digest: Uint8Array,
): Promise<boolean> {
  // The lock keeps the file from being deleted before the upload refers to it.
  const { count } = await db.execute(sql`
    WITH same AS (
      SELECT f.mesh_id, f.file_id FROM files f
      JOIN file_uploads u ON u.mesh_id = f.mesh_id
      WHERE u.session_id = ${key.sessionId} AND u.owner_id = ${key.ownerId} AND u.upload_id = ${key.uploadId}
        AND f.digest = ${sql.param(digest, files.digest)}::bytea
      FOR KEY SHARE OF f
    )
    UPDATE file_uploads SET file_id = same.file_id, completed_at = now()
    FROM same
    WHERE ${isUpload(key)} AND completed_at IS NULL`);
  return count > 0;
}

/**
 * Completes an upload with the file that it has stored: either as it arrived, or the cleaned copy of an image.
 * A unique constraint refuses bytes that the mesh already has.
 */
export async function completeWithOwn(
  db: Queryable,
  key: UploadKey,
  file: {
    readonly meshId: string;
    readonly fileId: string;
    readonly digest: Uint8Array;
    readonly type: string;
  },
): Promise<void> {
  await db.execute(sql`
    WITH named AS (
      UPDATE files SET digest = ${sql.param(file.digest, files.digest)}::bytea, type = ${file.type}
      WHERE mesh_id = ${file.meshId} AND file_id = ${file.fileId}
      RETURNING file_id
    )
    UPDATE file_uploads SET file_id = named.file_id, completed_at = now()
    FROM named
    WHERE ${isUpload(key)} AND completed_at IS NULL`);
}

/** Deletes an upload that failed. Its bytes are deleted with the other bytes that nothing names. */
export async function deleteUpload(db: Queryable, key: UploadKey): Promise<void> {
  await db.delete(fileUploads).where(and(isUpload(key), isNull(fileUploads.completedAt)));
}

/** Deletes uploads that were started more than `hours` ago, complete or not. */
export async function purgeUploads(db: Queryable, hours: number): Promise<number> {
  const { count } = await db.execute(
    sql`DELETE FROM file_uploads WHERE created_at < now() - make_interval(hours => ${hours})`,
  );
  return count;
}

function isUpload({ sessionId, ownerId, uploadId }: UploadKey) {
  return and(
    eq(fileUploads.sessionId, sessionId),
    eq(fileUploads.ownerId, ownerId),
    eq(fileUploads.uploadId, uploadId),
  );
}
