import { insertImportedVersions, redactDocumentVersions } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { bundleFiles, type DocumentLine, parseDocumentLine } from "@merkle/wire/record";
import type { ZippedFiles } from "@merkle/wire/record/zip";
import { countUtf8Bytes } from "@merkle/wire/text";
import type { SealServices } from "../seal/feature.js";
import { readLinesOf } from "./read-file.js";
import type { ImportTarget } from "./refuse-divergent-log.js";
import { refuseDivergentLog } from "./refuse-divergent-log.js";

/** Stores the document versions that this copy does not have yet, as `storeFeed` does for messages. */
export async function storeVersions(
  services: SealServices,
  bundle: ZippedFiles,
  target: ImportTarget,
): Promise<void> {
  const { tx, sessionId, documentVersion } = target;
  for await (const lines of readLinesOf(bundle, bundleFiles.versions, parseDocumentLine)) {
    const isKnown = (line: DocumentLine) => line.version.version <= documentVersion;
    const lastKnown = lines.findLast(isKnown);
    if (lastKnown) {
      const { root, version } = lastKnown;
      await refuseDivergentLog(services, target, { log: "document", size: version.version, root });
      for (const { version: row } of lines.filter((line) => isKnown(line) && line.content === null)) {
        await redactDocumentVersions(tx, sessionId, { from: row.version, to: row.version });
      }
    }
    const rows = lines.filter((line) => !isKnown(line)).map(toRow);
    if (rows.length > 0) await insertImportedVersions(tx, sessionId, rows);
  }
}

function toRow({ version: row, content, salt, content_hash }: DocumentLine) {
  if (content !== null && countUtf8Bytes(content) > limits.documentBytesMax) throw tooLong(row.version);
  return {
    version: row.version,
    content,
    written_by_team_id: row.written_by_team_id,
    written_by: row.written_by,
    written_at: row.written_at,
    after_sequence: row.after_sequence,
    salt,
    content_hash: salt === null ? content_hash : null,
  };
}

function tooLong(version: number): MerkleError {
  return new MerkleError(
    "bad_request",
    `Version ${version} of the document is larger than the limit of ${limits.documentBytesMax} bytes. Nothing was imported.`,
    { document_version: version },
  );
}
