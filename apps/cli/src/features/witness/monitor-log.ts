import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  type AuditKey,
  type Consistency,
  fromHex,
  growTree,
  hashLeaf,
  isSignedBy,
  parseHead,
  parseLogEntry,
  relateHeads,
  type SignedCheckpoint,
  type SignedHead,
  sameBytes,
  toHex,
} from "@merkle/wire/record";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { explainHomeErrors, homeFiles } from "../../core/merkle-home.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { readPrivateJson, writePrivateJson } from "../../core/private-file.js";
import { cannotVerify } from "./check-log.js";
import { createForkError } from "./fork-found.js";
import type { MeshLog } from "./mesh-log.js";

interface MonitorOptions {
  readonly home: string;
  readonly checkpoint: SignedCheckpoint;
  /** The keys that may have signed the heads in the log. */
  readonly keys: readonly AuditKey[];
}

/**
 * Reads the entries that were added to a log, up to a checkpoint, and compares the heads of each session
 * (WITNESS-27). A log that only grows can still have two heads of one session that contradict each other.
 *
 * @returns the sessions whose newest head the broker has not proven to continue the head before
 * @throws CliError `fork` if two heads of a session contradict each other; `verification_failed` if the entries
 * are not those of the checkpoint
 */
export async function monitorLog(
  log: Pick<MeshLog, "readEntries" | "readSessionConsistency">,
  options: MonitorOptions,
): Promise<readonly string[]> {
  const { home, checkpoint } = options;
  const { size, root, origin } = checkpoint;
  const path = join(homeFiles.witness(home), `${createHash("sha256").update(origin).digest("hex")}.json`);
  const state = readState(path);
  const tree = growTree(nodeCrypto.sha256, state);
  const heads = new Map(state.heads);
  const unproven = new Set<string>();
  if (tree.size >= size) return [];

  while (tree.size < size) {
    const entries = (await log.readEntries(tree.size)).slice(0, size - tree.size);
    if (entries.length === 0) throw cannotVerify(`It does not show the entry ${tree.size} of its log.`);
    for (const text of entries) {
      tree.push(hashLeaf(Buffer.from(text), nodeCrypto.sha256));
      const entry = parseLogEntry(text);
      if (!("head" in entry)) continue;
      const { head } = entry;
      await requireSigned(head, options);
      const before = heads.get(head.session_id);
      if (before && !(await isProven(log, [before, head], options))) unproven.add(head.session_id);
      heads.set(head.session_id, head);
    }
  }
  if (!sameBytes(tree.root(), root))
    throw cannotVerify("The entries that it shows are not those that it signed.");
  const after = { size: tree.size, edge: tree.edge.map(toHex), heads: Object.fromEntries(heads) };
  await explainHomeErrors(home, async () => writePrivateJson(path, after));
  return [...unproven];
}

/** @throws CliError if no trusted key signed the head, or if the head is of another epoch than the log */
async function requireSigned(head: SignedHead, { keys, checkpoint }: MonitorOptions): Promise<void> {
  const key = keys.find(({ key_id }) => key_id === head.key_id);
  const isOwn = checkpoint.origin.endsWith(`/${head.epoch}`);
  if (isOwn && key && (await isSignedBy(head, key, nodeCrypto.verifySignature))) return;
  throw cannotVerify(`Its log has a head of ${head.session_id} that no known key signed for this log.`);
}

/** Returns whether one of two heads continues the other. @throws CliError `fork` if they contradict each other */
async function isProven(
  log: Pick<MeshLog, "readSessionConsistency">,
  [before, head]: readonly [SignedHead, SignedHead],
  { home, keys }: MonitorOptions,
): Promise<boolean> {
  const read = async (of: "feed" | "document", sizes: readonly number[]): Promise<Consistency | null> => {
    const [fromSize = 0, size = 0] = sizes.toSorted((a, b) => a - b);
    if (fromSize === size || fromSize === 0) return null;
    return log.readSessionConsistency({ sessionId: head.session_id, log: of, fromSize, size });
  };
  const relation = relateHeads(before, head, {
    keys,
    sha256: nodeCrypto.sha256,
    feed: await read("feed", [before.size, head.size]),
    document: await read("document", [before.document.version, head.document.version]),
  });
  if (relation.outcome !== "fork") return relation.outcome === "consistent";
  const message = `Its log has two heads of the session ${head.session_id} that contradict each other.`;
  throw await createForkError(home, { evidence: relation.evidence, message });
}

interface MonitorState {
  readonly size: number;
  readonly edge: readonly Uint8Array[];
  readonly heads: ReadonlyMap<string, SignedHead>;
}

/** @throws CliError if the file is invalid, because ignoring the file would lose the known heads */
function readState(path: string): MonitorState {
  try {
    const stored = readPrivateJson(path);
    if (stored === undefined) return { size: 0, edge: [], heads: new Map() };
    const { size, edge, heads } = Object(stored);
    return {
      size: Number(size),
      edge: Array.from(edge, (hash) => requireHash(hash)),
      heads: new Map(Object.entries(heads).map(([id, head]) => [id, parseHead(head, "head")])),
    };
  } catch (cause) {
    throw new CliError(
      "unreadable",
      `${path}, which lists the heads that this witness has read, is not valid. Restore the file from a backup, or move it away to read the log from its beginning.`,
      { exitCode: exitCodes.unexpected, cause },
    );
  }
}

function requireHash(text: unknown): Uint8Array {
  const hash = fromHex(String(text), 32);
  if (!hash) throw new TypeError("A hash in the file is not valid.");
  return hash;
}
