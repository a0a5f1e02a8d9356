import { randomUUID } from "node:crypto";
import {
  addCopy,
  completeWithOwn,
  completeWithStored,
  deleteUpload,
  type FileKey,
  findUpload,
  findViolatedConstraint,
  type Queryable,
  readFileFacts,
  type StoredUpload,
} from "@merkle/db";
import { MerkleError, type MessageFile } from "@merkle/wire";
import type { Piece } from "./images/byte-reader.js";
import { inspectFile } from "./images/inspect-file.js";
import { countPieceBytes, createChunkReader, hashBytes, readPieces, writeChunks } from "./stored-bytes.js";

/**
 * Completes an upload whose bytes have all arrived: determines its type, removes the metadata of an image, and stores
 * the result once. Called again, it returns the same file.
 *
 * @param sha256 - digest of the bytes as the sender has them, in hexadecimal
 * @throws bad_request if other bytes have arrived than the sender has
 */
export async function completeUpload(
  db: Queryable,
  upload: StoredUpload,
  sha256: string | undefined,
): Promise<MessageFile> {
  if (upload.completedAt === null) await complete(db, upload, sha256);
  const { fileId } = (await findUpload(db, upload)) ?? upload;
  const facts = await readFileFacts(db, { meshId: upload.meshId, fileId });
  if (!facts) throw new MerkleError("not_found", "This upload has ended. Upload the file again.");
  return { name: upload.name, ...facts };
}

async function complete(db: Queryable, upload: StoredUpload, sha256: string | undefined): Promise<void> {
  const { meshId, fileId, size, keepMetadata } = upload;
  const readAt = createChunkReader(db, upload);
  const whole: readonly Piece[] = [{ from: 0, to: size }];
  if (sha256 !== undefined && (await hashBytes(readPieces(readAt, whole))).toString("hex") !== sha256) {
    await deleteUpload(db, upload);
    throw new MerkleError(
      "bad_request",
      "The bytes that have arrived are not those of sha256, so nothing is stored. Upload the file again.",
      { field: "sha256" },
    );
  }
  const { type, pieces } = await inspectFile(readAt, size);
  const kept = keepMetadata || pieces === null ? whole : pieces;
  const isChanged = !isWhole(kept, size);
  const digest = await hashBytes(readPieces(readAt, kept));
  if (await completeWithStored(db, upload, digest)) return;
  const file: FileKey = isChanged ? { meshId, fileId: randomUUID() } : { meshId, fileId };
  if (isChanged) {
    await addCopy(db, file, countPieceBytes(kept));
    await writeChunks(db, file, readPieces(readAt, kept));
  }
  try {
    await completeWithOwn(db, upload, { ...file, digest, type });
  } catch (error) {
    // The same bytes were completed meanwhile.
    if (findViolatedConstraint(error) !== "files_mesh_id_digest_key") throw error;
    await completeWithStored(db, upload, digest);
  }
}

function isWhole([first, ...rest]: readonly Piece[], size: number): boolean {
  if (size === 0) return true;
  return (
    rest.length === 0 && !!first && !(first instanceof Uint8Array) && first.from === 0 && first.to === size
  );
}
