import { toBase64url } from "@merkle/wire/identity";
import {
  type AuditKey,
  type Consistency,
  computeConsistencyPath,
  computeInclusionPath,
  computeLogRoot,
  formatCheckpoint,
  growTree,
  hashLeaf,
  type ReadSubtrees,
  toAuditKeyId,
  toHex,
} from "@merkle/wire/record";
import { type NoteSigner, noteCrypto, noteSigners, signLine } from "./witness-vectors.js";

const { sha256 } = noteCrypto;
const utf8 = new TextEncoder();

/** The key of the vectors' log, as the broker lists it. */
export const madeLogKey: AuditKey = toListedKey(noteSigners.log);

/** The same key, as records are signed with it. */
export const madeLogSigner = {
  key: madeLogKey,
  sign: (bytes: Uint8Array): string => toBase64url(noteSigners.log.sign(bytes)),
};

function toListedKey({ key: { publicKey } }: NoteSigner): AuditKey {
  return {
    key_id: toAuditKeyId(publicKey, sha256),
    public_key: toBase64url(publicKey),
    since: "2026-05-02T14:05:00.000Z",
    previous: null,
    succession: null,
  };
}

/** A mesh's log made of given entries, signed with the vectors' key. The key's owner can make several. */
export interface MadeLog {
  readonly entries: readonly string[];
  /** Returns the signed checkpoint of the first entries (default: all entries). */
  sign(size?: number): Promise<{ readonly note: string; readonly keys: readonly AuditKey[] }>;
  /** Returns the text of that checkpoint, which witnesses cosign. */
  describe(size?: number): Promise<string>;
  prove(from: number, size: number): Promise<Consistency>;
  includes(index: number, size?: number): Promise<Uint8Array[]>;
}

export function makeLog(entries: readonly string[], origin = noteSigners.log.key.name): MadeLog {
  const leaves = entries.map((entry) => hashLeaf(utf8.encode(entry), sha256));
  const read: ReadSubtrees = async (subtrees) =>
    subtrees.map(({ start, height }) => {
      const tree = growTree(sha256);
      for (const leaf of leaves.slice(start, start + 2 ** height)) tree.push(leaf);
      return tree.root();
    });
  const describe = async (size = entries.length) =>
    formatCheckpoint({ origin, size, root: await computeLogRoot(size, read, sha256) });
  const signer = { ...noteSigners.log, key: { ...noteSigners.log.key, name: origin } };
  return {
    entries,
    describe,
    async sign(size) {
      const text = await describe(size);
      return { note: `${text}\n${signLine(signer, text)}`, keys: [madeLogKey] };
    },
    async prove(from, size) {
      const path = await computeConsistencyPath({ from, size }, read, sha256);
      const root = await computeLogRoot(from, read, sha256);
      return { from_size: from, from_root: toHex(root), path: path.map(toHex) };
    },
    includes: (index, size = entries.length) => computeInclusionPath({ index, size }, read, sha256),
  };
}
