import { findHashedContent, type HashedContent, readEntryFacts } from "@merkle/db";
import { canonicalJson, type OutputOf } from "@merkle/wire";
import { type DocumentEntry, entryLeaf, type FeedEntry, toHex } from "@merkle/wire/record";
import { sha256 } from "../core/sha256.js";
import { toEntries } from "./hash-entries.js";
import { type LogReader, missingEntry, type NamedLog } from "./tiles.js";

type Inclusion = NonNullable<OutputOf<"session_proof">["inclusion"]>;

/** An entry as it follows from what is stored now, with what its content hash was taken of. */
export async function readProvenEntry(
  { db }: LogReader,
  log: NamedLog,
  number: number,
): Promise<Pick<Inclusion, "entry" | "content" | "salt" | "leaf">> {
  const [[facts], hashed] = await Promise.all([
    readEntryFacts(db, log, { first: number, last: number }),
    findHashedContent(db, log, number),
  ]);
  const [found] = facts === undefined ? [] : toEntries({ ...log, facts });
  if (!found || !hashed) throw missingEntry(log.log, number);
  const leaf = toHex(entryLeaf(found.entry, sha256));
  return { entry: { ...found.entry }, ...toShown(found.entry, hashed), leaf };
}

/** A private message is shown as everybody sees it, and without the salt, which could only confirm a guess (SEALED-3). */
function toShown(
  entry: FeedEntry | DocumentEntry,
  { content, salt }: HashedContent,
): Pick<Inclusion, "content" | "salt"> {
  if ("private" in entry && salt !== null) {
    return { content: canonicalJson({ private: true, ...entry.private }), salt: null };
  }
  return { content, salt: salt && toHex(salt) };
}
