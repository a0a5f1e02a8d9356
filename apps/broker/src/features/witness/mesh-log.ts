import {
  appendLogEntries,
  beginMeshLog,
  type Database,
  findCheckpoint,
  findCheckpointBefore,
  findMeshLog,
  type LogKey,
  listHeadsToLog,
  type MeshLogRow,
  type NewLogEntry,
  readLogSubtrees,
  saveCheckpoint,
} from "@merkle/db";
import {
  type AuditKey,
  computeLogRoot,
  formatCheckpoint,
  formatLogEntry,
  formatSignatureLine,
  hashLeaf,
  hashNode,
  type LogEntry,
  type ReadSubtrees,
  splitIntoSubtrees,
  toLogKey,
  toLogOrigin,
} from "@merkle/wire/record";
import { sha256 } from "../../core/sha256.js";
import type { AuditSigner } from "../../identity/audit-key/audit-key.js";
import { toSignedHead } from "../seal/feature.js";

/** The log of a mesh: one list of all signed heads of its sessions, which can only grow (WITNESS-7). */
export interface MeshLog {
  readonly key: LogKey;
  /**
   * Returns the newest checkpoint, after appending the heads that were signed since the previous one. Every node
   * returns the same note for a size.
   */
  readCheckpoint(): Promise<{ readonly size: number; readonly note: string }>;
  readonly readSubtrees: ReadSubtrees;
}

/** The most heads that one statement appends. */
const headsAtOnce = 500;

export function createMeshLog({
  database: { orm, epoch },
  signer,
  meshId,
}: {
  readonly database: Database;
  readonly signer: AuditSigner;
  readonly meshId: string;
}): MeshLog {
  const key: LogKey = { meshId, epoch };
  const newestKey = getNewestKey(signer);
  const keyId = newestKey.key_id;

  const readSubtrees: ReadSubtrees = async (subtrees) => {
    const ends = subtrees.map(({ start, height }) => start + 2 ** height - 1);
    const stored = await readLogSubtrees(orm, key, ends);
    return subtrees.map(({ height }, index) => {
      const hash = stored.get(ends[index] ?? -1)?.subarray(height * 32, height * 32 + 32);
      if (hash?.length !== 32)
        throw new RangeError(`The log has no subtree that ends with entry ${ends[index]}.`);
      return hash;
    });
  };

  /** Appends what the log lacks: the checkpoint before a restore, a new key, and heads. */
  async function append(): Promise<number> {
    for (;;) {
      const log = await findMeshLog(orm, key);
      if (!log) {
        await beginMeshLog(orm, key, keyId);
        continue;
      }
      const begins = log.size === 0 ? await findCheckpointBefore(orm, key) : null;
      const heads = await listHeadsToLog(orm, key, headsAtOnce);
      const texts = [
        ...(begins === null ? [] : [{ entry: { begins }, head: null }]),
        ...(log.keyId === keyId ? [] : [{ entry: { key: newestKey }, head: null }]),
        ...heads.map((head) => ({ entry: { head: toSignedHead(head) }, head })),
      ] satisfies { entry: LogEntry; head: NewLogEntry["head"] }[];
      if (texts.length === 0) return log.size;
      const entries = await addSubtrees(log, texts);
      // If another node was first, its entries are read in the next round.
      await appendLogEntries(orm, key, log, { keyId, entries });
    }
  }

  /** Computes the subtrees that each new entry completes. */
  async function addSubtrees(
    { size }: MeshLogRow,
    texts: readonly { readonly entry: LogEntry; readonly head: NewLogEntry["head"] }[],
  ): Promise<NewLogEntry[]> {
    // The complete subtrees on the right edge, by height.
    const edge = new Map<number, Uint8Array>();
    const before = splitIntoSubtrees({ start: 0, end: size });
    const hashes = before.length === 0 ? [] : await readSubtrees(before);
    for (const [index, { height }] of before.entries()) edge.set(height, hashes[index] ?? new Uint8Array());
    return texts.map(({ entry, head }) => {
      const text = formatLogEntry(entry);
      let hash = hashLeaf(Buffer.from(text), sha256);
      const completed = [hash];
      let height = 0;
      for (let left = edge.get(height); left; left = edge.get(height)) {
        edge.delete(height);
        hash = hashNode(left, hash, sha256);
        completed.push(hash);
        height += 1;
      }
      edge.set(height, hash);
      return { text, head, subtrees: Buffer.concat(completed) };
    });
  }

  return {
    key,
    readSubtrees,
    async readCheckpoint() {
      const size = await append();
      const newest = await findCheckpoint(orm, key);
      if (newest && newest.size >= size) return newest;
      const root = await computeLogRoot(size, readSubtrees, sha256);
      const origin = toLogOrigin(key);
      const text = formatCheckpoint({ origin, size, root });
      const logKey = toLogKey(newestKey, origin);
      if (!logKey) throw new TypeError("The signer's key is malformed.");
      const signature = Buffer.from(signer.signBytes(Buffer.from(text)).signature, "base64url");
      return saveCheckpoint(orm, key, {
        size,
        note: `${text}\n${formatSignatureLine(logKey, signature, sha256)}`,
      });
    },
  };
}

function getNewestKey({ keys }: AuditSigner): AuditKey {
  const key = keys.at(-1);
  if (!key) throw new TypeError("A signer has at least one key.");
  return key;
}
