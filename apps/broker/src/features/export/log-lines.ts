import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Database,
  type RecordedMessage,
  readFeedHeads,
  readRecordedMessages,
  readRecordedVersions,
} from "@merkle/db";
import {
  createDocumentEntry,
  createFeedEntry,
  type GrowingTree,
  growTree,
  hashEntry,
  toHex,
  writeJsonLine,
} from "@merkle/wire/record";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import { sha256 } from "../../core/sha256.js";
import { sessionArchived } from "../../sessions/access/authorize.js";
import {
  type ExportedRecord,
  isWhole,
  readStoredLeaves,
  type StoredLeaves,
  toRecordedMessage,
} from "./exported-record.js";

/**
 * Maximum size of a page of messages. Short reads keep no snapshot open, even if the export takes a long time.
 */
const page = { messagesMax: 500, bytesMax: 1024 * 1024 };

/** Lines hashed in one turn of the event loop. Hashing this many takes a few milliseconds. */
const linesPerTurn = 100;

/** Yields an export's messages as stored, page by page. */
export async function* readFeed(
  database: Pick<Database, "orm">,
  sessionId: string,
  upTo: number,
): AsyncGenerator<readonly RecordedMessage[]> {
  for (let after = 0; after < upTo; ) {
    const range = { after, upTo };
    const rows = await retryWhileLost(() => readRecordedMessages(database.orm, sessionId, range, page));
    const last = rows.at(-1);
    if (!last) return refuseArchived(database, sessionId);
    yield rows;
    after = last.sequence;
  }
}

/**
 * Aborts an export whose session was archived during the export, so that the file does not look complete
 * (ARCHIVE-6).
 */
async function refuseArchived({ orm }: Pick<Database, "orm">, sessionId: string): Promise<void> {
  const [feed] = await readFeedHeads(orm, [sessionId]);
  if (feed?.archivedAt) throw sessionArchived({ slug: sessionId });
}

/**
 * Yields the lines of a bundle's `feed.ndjson` (EXPORT-3). Each line has the hash that was stored when the
 * message was signed, and the root over the hashes up to that line. If someone has since changed a message
 * directly in the database, the message does not match its hash. The export does not repair such a message.
 */
export async function* formatFeedLines(
  database: Pick<Database, "orm">,
  sessionId: string,
  recorded: ExportedRecord,
): AsyncGenerator<string> {
  const tree = growTree(sha256);
  const stored = readStoredLeaves(recorded, "feed");
  for await (const rows of readFeed(database, sessionId, recorded.size)) {
    for (let at = 0; at < rows.length; at += linesPerTurn) {
      const lines: string[] = [];
      for (const row of rows.slice(at, at + linesPerTurn))
        lines.push(await toLine(row, recorded, tree, stored));
      yield lines.join("");
      await nextTurn();
    }
  }
}

async function toLine(
  row: RecordedMessage,
  { recordId }: ExportedRecord,
  tree: GrowingTree,
  stored: StoredLeaves,
): Promise<string> {
  await pushMissing(tree, stored, row.sequence - 1);
  // A separate message in the feed says who removed the text. The redacted message itself omits the remover's
  // name, because nothing would prove the name.
  const message = toRecordedMessage({ ...row, redaction: null }, recordId);
  const { contentHash } = row;
  const leaf =
    (await stored.find(row.sequence)) ??
    hashEntry(createFeedEntry(message, { recordId, contentHash }), sha256);
  tree.push(leaf);
  return writeJsonLine({
    message,
    salt: isWhole(message) ? row.salt : null,
    content_hash: contentHash,
    hash: toHex(leaf),
    root: toHex(tree.root()),
  });
}

/**
 * Adds the stored leaves for missing messages, so that the roots after the gap still match the signed roots.
 */
async function pushMissing(tree: GrowingTree, stored: StoredLeaves, upTo: number): Promise<void> {
  while (tree.size < upTo) {
    const leaf = await stored.find(tree.size + 1);
    if (!leaf) return;
    tree.push(leaf);
  }
}

/** A document version has at most half a megabyte. */
const versionsPerRead = 4;

/**
 * Yields the lines of a bundle's `document.ndjson`: every version of the document, in the same form as the
 * lines of `feed.ndjson` (EXPORT-3).
 */
export async function* formatDocumentLines(
  database: Pick<Database, "orm">,
  sessionId: string,
  recorded: ExportedRecord,
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
        hashEntry(createDocumentEntry(version, { recordId, contentHash }), sha256);
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
    if (!last) return refuseArchived(database, sessionId);
    after = last.version;
  }
}
