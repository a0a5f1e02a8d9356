import { mkdir } from "node:fs/promises";

import {
  type AuditKey,
  canonicalJson,
  type Manifest,
  parseHeadLine,
  parseKeys,
  type SignedHead,
  trustIn,
} from "@merkle/wire/record";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { explainingHome, homeFiles } from "../../core/merkle-home.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { readPrivateJson, writePrivateJson } from "../../core/private-file.js";
import { waitForProcessLock } from "../../core/process-lock.js";

/** This machine's memory of a record: the newest head that it saw, and the keys that it believes. */
export interface SeenRecord {
  readonly head: SignedHead;
  readonly keys: readonly AuditKey[];
}

/**
 * Returns what this machine saw last of a record (CLI-72); null when it was never looked at.
 *
 * @throws CliError for a file that cannot be understood: to go on without it would be to forget what was seen
 */
export async function findSeen(home: string, recordId: string): Promise<SeenRecord | null> {
  return readAll(home).get(recordId) ?? null;
}

/**
 * Remembers a head that was found to go on from the one that was seen, and the keys. Two processes may do it at once: an older
 * head never takes the place of a newer one.
 */
export async function rememberSeen(home: string, { head, keys }: SeenRecord): Promise<void> {
  await explainingHome(home, async () => {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const lock = await waitForProcessLock(`${homeFiles.seenHeads(home)}.lock`, 2_000);
    try {
      const all = readAll(home);
      const before = all.get(head.session_id);
      const newest = before && isNewer(before.head, head) ? before.head : head;
      all.set(head.session_id, { head: newest, keys: joinKeys(before?.keys ?? [], keys) });
      writePrivateJson(homeFiles.seenHeads(home), { records: Object.fromEntries(all) });
    } finally {
      await lock.release();
    }
  });
}

function isNewer(a: SignedHead, b: SignedHead): boolean {
  if (a.size !== b.size) return a.size > b.size;
  return a.document.version > b.document.version;
}

function joinKeys(known: readonly AuditKey[], more: readonly AuditKey[]): AuditKey[] {
  const isKnown = (key: AuditKey) => known.some(({ key_id }) => key_id === key.key_id);
  return [...known, ...more.filter((key) => !isKnown(key))];
}

function readAll(home: string): Map<string, SeenRecord> {
  const path = homeFiles.seenHeads(home);
  try {
    const { records = {} } = Object(readPrivateJson(path));
    return new Map(Object.entries(records).map(([id, record]) => [id, toSeen(record)]));
  } catch (cause) {
    throw new CliError(
      "unreadable",
      `${path}, which lists the records verified here, is not valid. Correct it, or move it away to start again.`,
      { exitCode: exitCodes.unexpected, cause },
    );
  }
}

/** A file of one's own is read as carefully as one of others: what it says decides what is believed. */
function toSeen(record: unknown): SeenRecord {
  const { head, keys } = Object(record);
  return { head: parseHeadLine(canonicalJson(head)), keys: parseKeys(canonicalJson(keys)) };
}

/** Returns the head with the keys that its own key vouches for. The key of a broker that only exported the record is not among them. */
export async function toSeenRecord({
  manifest: { head },
  keys,
}: {
  readonly manifest: Pick<Manifest, "head">;
  readonly keys: readonly AuditKey[];
}): Promise<SeenRecord> {
  const known = keys.filter(({ key_id }) => key_id === head.key_id);
  const trusts = await Promise.all(
    keys.map(({ key_id }) => trustIn(key_id, keys, { known, verifySignature: nodeCrypto.verifySignature })),
  );
  return { head, keys: keys.filter((_, index) => trusts[index] !== "other than the known one") };
}
