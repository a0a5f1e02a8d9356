import { mkdir } from "node:fs/promises";
import {
  findOriginMesh,
  parseCheckpoint,
  parseKeys,
  type SeenCheckpoint,
  toCanonicalJson,
} from "@merkle/wire/record";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { explainHomeErrors, homeFiles } from "../../core/merkle-home.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { readPrivateJson, writePrivateJson } from "../../core/private-file.js";
import { waitForProcessLock } from "../../core/process-lock.js";

/** What this machine knows of a mesh's log: the newest checkpoint that it has verified, and the trusted keys. */
export interface SeenLog extends SeenCheckpoint {
  /** When this machine last cosigned a checkpoint of the log, in seconds. Null if never. */
  readonly cosigned_at: number | null;
  /** When a person last compared the log with another member's, in seconds. Null if never. */
  readonly compared_at: number | null;
}

/**
 * Returns what this machine knows of a log, or null if it has never seen the log (WITNESS-20).
 *
 * @throws CliError if the file is invalid, because ignoring the file would lose the known checkpoints
 */
export function findSeenLog(home: string, origin: string): SeenLog | null {
  return readSeenLogs(home).get(origin) ?? null;
}

/** Returns the origin of the mesh's log that this machine followed last, or null. */
export function findSeenOrigin(home: string, meshId: string): string | null {
  return [...readSeenLogs(home).keys()].findLast((origin) => findOriginMesh(origin) === meshId) ?? null;
}

/** Returns when a person last compared the log of an epoch, in seconds, or null. */
export function findComparedAt(home: string, epoch: string): number | null {
  const log = [...readSeenLogs(home)].find(([origin]) => origin.endsWith(`/${epoch}`));
  return log?.[1].compared_at ?? null;
}

/**
 * Replaces what this machine knows of a log, if it is still `before`. Once the promise resolves, the change
 * survives a power failure, so a witness may cosign the checkpoint (WITNESS-23).
 *
 * @returns false if another process has changed it
 */
export async function replaceSeenLog(home: string, before: SeenLog | null, after: SeenLog): Promise<boolean> {
  return explainHomeErrors(home, async () => {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const lock = await waitForProcessLock(`${homeFiles.seenLogs(home)}.lock`, 2_000);
    try {
      const all = readSeenLogs(home);
      const { origin } = parseCheckpoint(after.note, nodeCrypto.sha256);
      if (toCanonicalJson(all.get(origin) ?? null) !== toCanonicalJson(before)) return false;
      all.set(origin, after);
      writePrivateJson(homeFiles.seenLogs(home), { logs: Object.fromEntries(all) }, true);
      return true;
    } finally {
      await lock.release();
    }
  });
}

/** Reads what this machine knows of each log, by origin. The log that was followed last comes last. */
function readSeenLogs(home: string): Map<string, SeenLog> {
  const path = homeFiles.seenLogs(home);
  try {
    const { logs = {} } = Object(readPrivateJson(path));
    return new Map(Object.entries(logs).map(([origin, stored]) => [origin, parseSeenLog(origin, stored)]));
  } catch (cause) {
    throw new CliError(
      "unreadable",
      `${path}, which lists the checkpoints verified here, is not valid. Restore the file from a backup. Without a backup, move it away to start again: a witness then also needs a new key.`,
      { exitCode: exitCodes.unexpected, cause },
    );
  }
}

/**
 * Parses a log from this machine's file. Validates the file although this machine wrote it, because its
 * content decides which keys are trusted.
 */
function parseSeenLog(origin: string, stored: unknown): SeenLog {
  const { note, keys, cosigned_at, compared_at } = Object(stored);
  if (parseCheckpoint(String(note), nodeCrypto.sha256).origin !== origin) {
    throw new TypeError(`The checkpoint of ${origin} is of another log.`);
  }
  return {
    note: String(note),
    keys: parseKeys(toCanonicalJson(keys)),
    cosigned_at: toTime(cosigned_at),
    compared_at: toTime(compared_at),
  };
}

function toTime(value: unknown): number | null {
  if (value === null || (typeof value === "number" && Number.isSafeInteger(value))) return value;
  throw new TypeError("A time in the file is not a number of seconds.");
}
