import type { Message } from "@merkle/wire";
import {
  createDocumentEntry,
  createFeedEntry,
  type DocumentEntry,
  type FeedEntry,
  growTree,
  hashEntry,
  type RecordedFields,
  recordedFieldNames,
  toKindField,
  toMessageHead,
} from "@merkle/wire/record";
import { sha256 } from "../../core/sha256.js";
import type { WorkerTask } from "../../core/workers/task.js";

/** Entries `first` to `last` of a log, in the form in which `readEntryFacts` returns them. */
export interface EntryFacts {
  readonly log: "feed" | "document";
  readonly recordId: string;
  readonly first: number;
  readonly last: number;
  readonly facts: readonly string[];
}

export interface HashedEntries {
  /** For each string in `facts`, the leaf hashes (32 bytes each) and the root over these hashes. */
  readonly parts: readonly { readonly hashes: Uint8Array; readonly root: Uint8Array }[];
  /**
   * Number of the first missing entry, or null. The broker never deletes entries, so a missing entry means
   * damage.
   */
  readonly missing: number | null;
}

/**
 * Strings up to this length are hashed on the main thread. About five hundred entries fit within the limit,
 * more than most records have.
 */
const smallFactsCharsMax = 128 * 1024;

export const hashEntriesTask: WorkerTask<EntryFacts, HashedEntries> = {
  name: "hash_entries",
  run: hashEntries,
  isSmall: ({ facts }) => facts.reduce((chars, text) => chars + text.length, 0) < smallFactsCharsMax,
};

export function hashEntries({ log, recordId, first, last, facts }: EntryFacts): HashedEntries {
  let expected = first;
  const parts = facts.map((text) => {
    const entries = toEntries({ log, recordId, facts: text });
    for (const { number } of entries) if (number === expected) expected += 1;
    const leaves = entries.map(({ entry }) => hashEntry(entry, sha256));
    return { hashes: Buffer.concat(leaves), root: rootOver(leaves) };
  });
  return { parts, missing: expected <= last ? expected : null };
}

/** Parses one of the strings in `facts` into entries. */
export function toEntries({
  log,
  recordId,
  facts,
}: Pick<EntryFacts, "log" | "recordId"> & { readonly facts: string }): {
  readonly number: number;
  readonly entry: FeedEntry | DocumentEntry;
}[] {
  // The columns are in the order in which the query selects them.
  return log === "feed"
    ? (JSON.parse(facts) as FeedFactRow[]).map((row) => ({
        number: Number(row[sequenceAt]),
        entry: toFeedEntry(row, recordId),
      }))
    : (JSON.parse(facts) as VersionRow[]).map((row) => ({
        number: row[0],
        entry: toVersionEntry(row, recordId),
      }));
}

/** Returns the Merkle root over a few adjacent hashes. */
export function rootOver(hashes: readonly Uint8Array[]): Uint8Array {
  const tree = growTree(sha256);
  for (const hash of hashes) tree.push(hash);
  return tree.root();
}

/**
 * A row of the query: the recorded fields of a message, the hash of its content and, if the message is
 * private, the content.
 */
type FeedFactRow = readonly unknown[];

const recordedCount = recordedFieldNames.length;
const sequenceAt = recordedFieldNames.indexOf("sequence");

function toFeedEntry(facts: FeedFactRow, recordId: string): FeedEntry {
  const row: Record<string, unknown> = {};
  recordedFieldNames.forEach((name, index) => {
    row[name] = facts[index];
  });
  row["posted_at"] = new Date(Number(row["posted_at"])).toISOString();
  // The query selects exactly these fields with these types.
  const fields = row as unknown as RecordedFields;
  const [contentHash, content] = facts.slice(recordedCount) as [string, string | null];
  const kind = fields.kind === null ? {} : { [toKindField(fields.type)]: fields.kind };
  const message: Message = { ...toMessageHead(fields), content: { ...parseContent(content), ...kind } };
  return createFeedEntry(message, { recordId, contentHash });
}

function parseContent(content: string | null): Record<string, unknown> {
  return content === null ? {} : JSON.parse(content);
}

type VersionRow = readonly [
  version: number,
  teamId: string,
  team: string,
  writtenAt: number,
  afterSequence: number,
  contentHash: string,
];

function toVersionEntry(row: VersionRow, recordId: string): DocumentEntry {
  const [version, written_by_team_id, written_by, at, after_sequence, contentHash] = row;
  const written_at = new Date(at).toISOString();
  const facts = { version, written_by_team_id, written_by, written_at, after_sequence };
  return createDocumentEntry(facts, { recordId, contentHash });
}
