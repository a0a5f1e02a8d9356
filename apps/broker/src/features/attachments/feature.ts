import {
  deleteUnnamedFiles,
  forgetMessageFiles,
  purgeUploads,
  type Queryable,
  settleMessageFiles,
} from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import type { Feature } from "../../feature.js";
import { exportFiles } from "./export-files.js";
import { importFiles } from "./import-files.js";
import { listFiles } from "./list-files.js";
import { mountFiles } from "./mount-files.js";
import { noteMessageFiles } from "./note-message-files.js";
import { readAttachment } from "./read-attachment.js";

/** Stores files that messages carry. */
export const attachmentsFeature = {
  name: "attachments",
  needs: [],
  mount: mountFiles,
  handlers: { list_files: listFiles, read_attachment: readAttachment },
  onAttach: noteMessageFiles,
  onRemoveText: { forgetMessage: forgetMessageFiles },
  onImport: importFiles,
  onExport: exportFiles,
  purge: { uploads: (db) => purgeUploads(db, limits.uploadHours), files: purgeFiles },
} satisfies Feature;

/** Deletes the bytes that nothing names any more (ATTACH-12). Returns the number of files. */
async function purgeFiles(db: Queryable): Promise<number> {
  await settleMessageFiles(db);
  let files = 0;
  for (;;) {
    const deleted = await deleteUnnamedFiles(db);
    if (deleted.files === 0) return files;
    files += deleted.files;
  }
}
