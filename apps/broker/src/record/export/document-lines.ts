import { type Database, readRecordedVersions } from "@merkle/db";
import { documentEntry, entryLeaf, growTree, toHex, writeJsonLine } from "@merkle/wire/record";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import { sha256 } from "../../core/sha256.js";
import { pushMissing } from "./feed-lines.js";
import type { Recorded } from "./recorded.js";
import { readStoredLeaves } from "./stored-leaves.js";

/** Half a megabyte each, at most. */
const versionsPerRead = 4;

/** A bundle's `document.ndjson`: every version of the document, made as the lines of the feed are (EXPORT-3). */
export async function* documentLines(
  database: Pick<Database, "orm">,
  sessionId: string,
  recorded: Recorded,
): AsyncGenerator<string> {
  const { recordId, documentVersion } = recorded;
  const tree = growTree(sha256);
  const stored = readStoredLeaves(recorded, "document");
  for (let after = 0; after < documentVersion; ) {
    const part = { after, upTo: documentVersion, limit: versionsPerRead };
    const rows = await retryWhileLost(() => readRecordedVersions(database.orm, sessionId, part));
    for (const { salt, contentHash, content, ...row } of rows) {
      await pushMissing(tree, stored, row.version - 1);
      const version = {
        session_id: recordId,
        version: row.version,
        written_by_team_id: row.writtenByTeamId,
        written_by: row.writtenBy,
        written_at: row.writtenAt.toISOString(),
        after_sequence: row.afterSequence,
      };
      const leaf =
        (await stored.find(row.version)) ??
        entryLeaf(documentEntry(version, { recordId, contentHash }), sha256);
      tree.push(leaf);
      yield writeJsonLine({
        version,
        content,
        salt,
        content_hash: contentHash,
        hash: toHex(leaf),
        root: toHex(tree.root()),
      });
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.version;
  }
}
