import { fromBase64, toBase64 } from "../core/base64.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { ShapeError } from "../core/shape.js";
import { parseCheckpoint, type SignedCheckpoint } from "./checkpoint.js";
import { hashLeaf, verifyInclusion } from "./log-tree.js";

/** The proof that an entry is in a log (C2SP tlog-proof), up to a checkpoint. */
export interface LogProof {
  /** The entry's index, counted from 0. */
  readonly index: number;
  readonly path: readonly Uint8Array[];
  readonly checkpoint: SignedCheckpoint;
}

const firstLine = "c2sp.org/tlog-proof@v1";

/** A path has one hash per level, and a log has at most 2^53 - 1 entries. */
const hashesMax = 63;

/** @throws ShapeError if the text is not a proof */
export function parseLogProof(text: string, sha256: Sha256): LogProof {
  const end = text.indexOf("\n\n");
  const [kind, indexLine = "", ...hashes] = text.slice(0, Math.max(end, 0)).split("\n");
  const index = Number(/^index (0|[1-9]\d{0,15})$/.exec(indexLine)?.[1]);
  if (kind !== firstLine || !Number.isSafeInteger(index) || hashes.length > hashesMax) {
    throw new ShapeError(
      `Expected a proof: the line "${firstLine}", "index <number>", and at most ${hashesMax} hashes.`,
    );
  }
  const checkpoint = parseCheckpoint(text.slice(end + 2), sha256);
  return { index, path: hashes.map(parseHash), checkpoint };
}

function parseHash(line: string): Uint8Array {
  const hash = fromBase64(line);
  if (hash?.length !== 32) throw new ShapeError("Each hash of a proof must be 32 bytes in base64.");
  return hash;
}

/** @param note - the checkpoint, with its signatures */
export function formatLogProof({
  index,
  path,
  note,
}: Pick<LogProof, "index" | "path"> & { readonly note: string }): string {
  return [firstLine, `index ${index}`, ...path.map(toBase64), "", note].join("\n");
}

/** Returns true if the proof leads from the entry to the checkpoint's root. Does not verify signatures. */
export function isInLog(entry: string, { index, path, checkpoint }: LogProof, sha256: Sha256): boolean {
  const { size, root } = checkpoint;
  const leaf = hashLeaf(new TextEncoder().encode(entry), sha256);
  return verifyInclusion({ index, size, leaf, path, root }, sha256);
}
