import { mkdir } from "node:fs/promises";

import {
  type AuditKey,
  determineTrust,
  type Manifest,
  parseHeadLine,
  parseKeys,
  type SeenHead,
  type SignedHead,
  toCanonicalJson,
} from "@merkle/wire/record";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { explainHomeErrors, homeFiles } from "../../core/merkle-home.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { readPrivateJson, writePrivateJson } from "../../core/private-file.js";
import { waitForProcessLock } from "../../core/process-lock.js";

/**
 * Returns what this machine last saw of a record, or null if it has never seen the record (CLI-72).
 *
 * @throws CliError if the file is invalid, because ignoring the file would lose the known heads
 */
export async function findSeenHead(home: string, recordId: string): Promise<SeenHead | null> {
  return readSeenHeads(home).get(recordId) ?? null;
}

/** Saves a verified head and its keys. If two processes save at the same time, the newer head is kept. */
export async function saveSeenHead(home: string, { head, keys }: SeenHead): Promise<void> {
  await explainHomeErrors(home, async () => {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const lock = await waitForProcessLock(`${homeFiles.seenHeads(home)}.lock`, 2_000);
    try {
      const all = readSeenHeads(home);
      const before = all.get(head.session_id);
      const newest = before && isNewer(before.head, head) ? before.head : head;
      all.set(head.session_id, { head: newest, keys: mergeKeys(before?.keys ?? [], keys) });
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

function mergeKeys(known: readonly AuditKey[], more: readonly AuditKey[]): AuditKey[] {
  const isKnown = (key: AuditKey) => known.some(({ key_id }) => key_id === key.key_id);
  return [...known, ...more.filter((key) => !isKnown(key))];
}

function readSeenHeads(home: string): Map<string, SeenHead> {
  const path = homeFiles.seenHeads(home);
  try {
    const { records = {} } = Object(readPrivateJson(path));
    return new Map(Object.entries(records).map(([id, record]) => [id, parseSeenHead(record)]));
  } catch (cause) {
    throw new CliError(
      "unreadable",
      `${path}, which lists the records verified here, is not valid. Correct it, or move it away to start again.`,
      { exitCode: exitCodes.unexpected, cause },
    );
  }
}

/**
 * Parses a record from this machine's file. Validates the file although this machine wrote it, because its
 * content decides which keys are trusted.
 */
function parseSeenHead(record: unknown): SeenHead {
  const { head, keys } = Object(record);
  return { head: parseHeadLine(toCanonicalJson(head)), keys: parseKeys(toCanonicalJson(keys)) };
}

/**
 * Returns the head, with the keys that the head's key vouches for. Leaves out the key of a broker that only
 * re-exported the record.
 */
export async function toSeenHead({
  manifest: { head },
  keys,
}: {
  readonly manifest: Pick<Manifest, "head">;
  readonly keys: readonly AuditKey[];
}): Promise<SeenHead> {
  const known = keys.filter(({ key_id }) => key_id === head.key_id);
  const trusts = await Promise.all(
    keys.map(({ key_id }) =>
      determineTrust(key_id, keys, { known, verifySignature: nodeCrypto.verifySignature }),
    ),
  );
  return { head, keys: keys.filter((_, index) => trusts[index] !== "other than the known one") };
}
