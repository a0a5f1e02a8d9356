import { randomUUID } from "node:crypto";
import {
  addImportedFile,
  completeImportedFile,
  findFile,
  findViolatedConstraint,
  forgetImportedFiles,
  nameImportedFiles,
  type Queryable,
} from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { BundledAttachments, ImportHook } from "../../views/hooks.js";
import { inspectFile } from "./images/inspect-file.js";
import { bytesPerMegabyte } from "./receive-upload.js";
import { createChunkReader, writeChunks } from "./stored-bytes.js";

/** Imports the bytes of files with the record that names them. The bundle has been verified (ATTACH-15). */
export const importFiles: ImportHook = {
  async storeFiles({ database: { orm, meshId }, settings }, attachments) {
    const bytesMax = settings.current.files_mb_max * bytesPerMegabyte;
    for (const digest of attachments.digests) await storeFile(orm, attachments, { meshId, digest, bytesMax });
  },
  store: (tx, imported) =>
    imported.digests.length === 0 ? Promise.resolve() : nameImportedFiles(tx, imported),
  forgetEvent: forgetImportedFiles,
};

async function storeFile(
  db: Queryable,
  attachments: BundledAttachments,
  given: { readonly meshId: string; readonly digest: string; readonly bytesMax: number },
): Promise<void> {
  const { meshId, bytesMax } = given;
  const digest = Buffer.from(given.digest, "hex");
  if (await findFile(db, meshId, digest)) return;
  const { size, bytes } = attachments.open(given.digest);
  const file = { meshId, fileId: randomUUID(), size };
  if (!(await addImportedFile(db, file, bytesMax)))
    throw new MerkleError(
      "forbidden",
      `The files of this mesh can have at most ${bytesMax / bytesPerMegabyte} MB in total, and there is no room for those of the bundle. Nothing was imported. Have files_mb_max raised.`,
      { files_mb_max: bytesMax / bytesPerMegabyte },
    );
  await writeChunks(db, file, bytes);
  // The bytes stay as they are, because the record has their digest. Their type is never what the record says.
  const { type } = await inspectFile(createChunkReader(db, file), size);
  try {
    await completeImportedFile(db, { ...file, digest, type });
  } catch (error) {
    // The same bytes were completed meanwhile.
    if (findViolatedConstraint(error) !== "files_mesh_id_digest_key") throw error;
  }
}
