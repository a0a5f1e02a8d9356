import type { Message } from "@merkle/wire";
import {
  type DocumentEntry,
  documentEntry,
  entryLeaf,
  type FeedEntry,
  feedEntry,
  growTree,
} from "@merkle/wire/record";
import { sha256 } from "../core/sha256.js";
import type { Task } from "../core/workers/task.js";

/** Entries to be hashed: numbers `first` to `last` of a log, as `readEntryFacts` gives what they are made from. */
export interface EntryFacts {
  readonly log: "feed" | "document";
  readonly recordId: string;
  readonly first: number;
  readonly last: number;
  readonly facts: readonly string[];
}

export interface HashedEntries {
  /** For each text its leaves, 32 bytes each, one after the other, and the root over them. */
  readonly parts: readonly { readonly hashes: Uint8Array; readonly root: Uint8Array }[];
  /** The first entry that is not there, though entries never go; null when all are. */
  readonly missing: number | null;
}

/** Some five hundred entries, which is what most records have. */
const smallFactsCharsMax = 128 * 1024;

export const hashEntriesTask: Task<EntryFacts, HashedEntries> = {
  name: "hash_entries",
  run: hashEntries,
  isSmall: ({ facts }) => facts.reduce((chars, text) => chars + text.length, 0) < smallFactsCharsMax,
};

export function hashEntries({ log, recordId, first, last, facts }: EntryFacts): HashedEntries {
  let expected = first;
  const parts = facts.map((text) => {
    const entries = toEntries({ log, recordId, facts: text });
    for (const { number } of entries) if (number === expected) expected += 1;
    const leaves = entries.map(({ entry }) => entryLeaf(entry, sha256));
    return { hashes: Buffer.concat(leaves), root: rootOver(leaves) };
  });
  return { parts, missing: expected <= last ? expected : null };
}

/** The entries that one of these texts tells of. */
export function toEntries({
  log,
  recordId,
  facts,
}: Pick<EntryFacts, "log" | "recordId"> & { readonly facts: string }): {
  readonly number: number;
  readonly entry: FeedEntry | DocumentEntry;
}[] {
  // The columns are those that the query selects, in its order.
  return log === "feed"
    ? (JSON.parse(facts) as FeedRow[]).map((row) => ({ number: row[0], entry: toFeedEntry(row, recordId) }))
    : (JSON.parse(facts) as VersionRow[]).map((row) => ({
        number: row[0],
        entry: toVersionEntry(row, recordId),
      }));
}

/** The root over a few hashes that stand side by side. */
export function rootOver(hashes: readonly Uint8Array[]): Uint8Array {
  const tree = growTree(sha256);
  for (const hash of hashes) tree.push(hash);
  return tree.root();
}

type FeedRow = readonly [
  sequence: number,
  id: string,
  type: Message["type"],
  kind: string | null,
  teamId: string | null,
  team: string | null,
  peer: string | null,
  human: boolean,
  to: string[],
  priority: Message["priority"],
  replyTo: number | null,
  postedAt: number,
  contentHash: string,
  privateContent: string | null,
];

function toFeedEntry(row: FeedRow, recordId: string): FeedEntry {
  const [
    sequence,
    id,
    type,
    kind,
    posted_by_team_id,
    team,
    peer,
    human,
    to,
    priority,
    reply_to,
    at,
    contentHash,
    content,
  ] = row;
  const name = type === "system" ? "event" : "kind";
  const message: Message = {
    id,
    session_id: recordId,
    sequence,
    type,
    posted_by_team_id,
    from: team === null ? null : { team, ...(peer === null ? {} : { peer }), human },
    to,
    priority,
    ...(reply_to === null ? {} : { reply_to }),
    content: { ...parseContent(content), ...(kind === null ? {} : { [name]: kind }) },
    posted_at: new Date(at).toISOString(),
  };
  return feedEntry(message, { recordId, contentHash });
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
  return documentEntry(facts, { recordId, contentHash });
}
