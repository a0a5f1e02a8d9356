import { fromBase64, toBase64 } from "../core/base64.js";
import { toCanonicalJson } from "../core/canonical-json.js";
import { fromHex, sameBytes, toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import * as shape from "../core/shape.js";
import { type AuditKey, isSignedBy, type SignedHead } from "../identity/head.js";
import { auditKey, parseCanonical, parseHead } from "./bundle.js";
import { isSignedByLog, parseCheckpoint, toLogKey } from "./checkpoint.js";
import type { Consistency } from "./later-head.js";
import { computeConsistentRoot, verifyConsistency } from "./log-tree.js";
import type { Trust } from "./report.js";
import type { NoteCrypto } from "./signed-note.js";
import { checkKeys, determineTrust } from "./verify-keys.js";

/**
 * Evidence of a fork: two signed statements about one log, and a proof that the later statement does not
 * extend the earlier one. Anyone can verify the evidence offline (WITNESS-21).
 */
export type ForkEvidence = ForkStatements & {
  readonly format: "merkle-fork";
  readonly version: 1;
  /** The keys that signed the statements, with the keys that vouch for them. */
  readonly keys: readonly AuditKey[];
  /** The root, in base64, over the entries of the later log that the earlier statement covers. */
  readonly from_root: string;
  /** The path, in base64, that leads from `from_root` to the later root (RFC 9162, section 2.1.4.1). */
  readonly path: readonly string[];
};

type ForkStatements =
  | { readonly of: "checkpoints"; readonly earlier: string; readonly later: string }
  | { readonly of: "feed" | "document"; readonly earlier: SignedHead; readonly later: SignedHead };

/** A statement about a log, with a valid signature. */
export interface ForkStatement {
  readonly size: number;
  readonly root: Uint8Array;
  readonly key: AuditKey;
}

/** The result of verifying evidence of a fork. */
export interface ForkReport {
  readonly of: ForkEvidence["of"];
  /** The log of which both statements are: an origin, or a record's feed or document. */
  readonly log: string;
  readonly earlier: ForkStatement;
  readonly later: ForkStatement;
  /** How far the keys can be trusted, given the keys that the reader knows. */
  readonly trust: Trust;
}

/** A path has one hash per level, and a log has at most 2^53 - 1 entries. */
const hashesMax = 63;

/** The part of a log that a statement covers. */
type LogState = Pick<ForkStatement, "size" | "root">;

export type LogRelation =
  /** The later log begins with the earlier one, or the proof shows nothing. */
  | { readonly outcome: "extends" | "unproven" }
  /** The later log begins with other entries. `from_root` and `path` show it. */
  | ({ readonly outcome: "fork" } & Pick<ForkEvidence, "from_root" | "path">);

/**
 * Returns how two statements about one log relate, given the proof that leads from the smaller size to the
 * larger. A missing or wrong proof shows nothing. A path that leads to the later root from another root than
 * the earlier one shows a fork.
 */
export function relateLogs(
  earlier: LogState,
  later: LogState,
  { consistency, sha256 }: { readonly consistency: Consistency | null; readonly sha256: Sha256 },
): LogRelation {
  if (earlier.size === 0) return { outcome: "extends" };
  const path = earlier.size === later.size ? [] : parsePath(consistency, earlier.size);
  // Only needed if the earlier size is a power of two, because the path then omits the earlier root.
  const claimed = (consistency && fromHex(consistency.from_root, 32)) ?? earlier.root;
  const claim = { from: earlier.size, size: later.size, root: later.root, path: path ?? [] };
  const isProven = path !== null && verifyConsistency({ ...claim, fromRoot: earlier.root }, sha256);
  if (isProven) return { outcome: "extends" };
  const fromRoot = path && computeConsistentRoot({ ...claim, fromRoot: claimed }, sha256);
  if (!fromRoot || sameBytes(fromRoot, earlier.root)) return { outcome: "unproven" };
  return { outcome: "fork", from_root: toBase64(fromRoot), path: path.map(toBase64) };
}

function parsePath(consistency: Consistency | null, from: number): readonly Uint8Array[] | null {
  if (consistency?.from_size !== from) return null;
  const path = consistency.path.map((hash) => fromHex(hash, 32)).filter((hash) => hash !== null);
  return path.length === consistency.path.length ? path : null;
}

export type HeadRelation =
  | { readonly outcome: "consistent" | "unproven" }
  | { readonly outcome: "fork"; readonly evidence: ForkEvidence };

/**
 * Returns how two signed heads of one record and one epoch relate (WITNESS-27). The caller has verified both
 * signatures. The proofs lead from the smaller of the two logs to the larger.
 */
export function relateHeads(
  a: SignedHead,
  b: SignedHead,
  {
    keys,
    sha256,
    ...proofs
  }: {
    readonly keys: readonly AuditKey[];
    readonly sha256: Sha256;
    readonly feed: Consistency | null;
    readonly document: Consistency | null;
  },
): HeadRelation {
  let outcome: "consistent" | "unproven" = "consistent";
  for (const of of ["feed", "document"] as const) {
    const isSwapped = toLogState(a, of).size > toLogState(b, of).size;
    const [earlier, later] = isSwapped ? [b, a] : [a, b];
    const relation = relateLogs(toLogState(earlier, of), toLogState(later, of), {
      consistency: proofs[of],
      sha256,
    });
    if (relation.outcome === "fork") {
      const { from_root, path } = relation;
      const evidence: ForkEvidence = { ...forkFormat, of, keys, earlier, later, from_root, path };
      return { outcome: "fork", evidence };
    }
    if (relation.outcome === "unproven") outcome = "unproven";
  }
  return { outcome };
}

/** The first two fields of all evidence. */
export const forkFormat = { format: "merkle-fork", version: 1 } as const;

/** Formats evidence for a file: one line of canonical JSON. */
export function formatFork(fork: ForkEvidence): string {
  return `${toCanonicalJson(fork)}\n`;
}

/** @throws ShapeError if the text is not evidence of a fork */
export function parseFork(text: string): ForkEvidence {
  return parseCanonical(text, readFork);
}

function readFork(value: unknown): ForkEvidence {
  const { of } = shape.anyObject(value, "the evidence");
  const common = {
    format: shape.oneOf("merkle-fork"),
    version: readVersion,
    keys: shape.list(auditKey),
    from_root: shape.text,
    path: shape.list(shape.text),
  };
  return of === "checkpoints"
    ? shape.object({
        ...common,
        of: shape.oneOf("checkpoints"),
        earlier: shape.text,
        later: shape.text,
      })(value, "the evidence")
    : shape.object({
        ...common,
        of: shape.oneOf("feed", "document"),
        earlier: parseHead,
        later: parseHead,
      })(value, "the evidence");
}

const readVersion: shape.Shape<1> = (value, place) => {
  if (value !== 1)
    throw new shape.ShapeError(`${place} must be 1, which is the version that this program reads.`);
  return value;
};

/**
 * Verifies evidence of a fork.
 *
 * @param known - the keys that the reader knows from elsewhere (default: none, so the reader must compare)
 * @throws ShapeError with the reason if the evidence does not prove a fork
 */
export async function checkFork(
  fork: ForkEvidence,
  { known = [], ...crypto }: NoteCrypto & { readonly known?: readonly AuditKey[] },
): Promise<ForkReport> {
  const [fault] = await checkKeys(fork.keys, crypto);
  if (fault !== undefined) throw new shape.ShapeError(fault);
  const { log, earlier, later } = await readStatements(fork, crypto);
  if (!(await isOneLine(earlier.key, later.key, fork.keys, crypto))) {
    throw new shape.ShapeError("Two keys signed the statements, and neither key vouches for the other.");
  }
  const trusts = await Promise.all(
    [earlier, later].map(({ key }) => determineTrust(key.key_id, fork.keys, { known, ...crypto })),
  );
  const [trust] = trusts;
  if (trust === undefined || trusts.includes("other than the known one")) {
    throw new shape.ShapeError("The statements are signed with another key than the known one.");
  }
  requireContradiction(fork, { earlier, later }, crypto);
  return { of: fork.of, log, earlier, later, trust };
}

/** @throws ShapeError if a signature is invalid, or if the statements are of different logs */
async function readStatements(
  fork: ForkEvidence,
  crypto: NoteCrypto,
): Promise<Pick<ForkReport, "log" | "earlier" | "later">> {
  const [earlier, later] =
    fork.of === "checkpoints"
      ? await Promise.all([fork.earlier, fork.later].map((note) => readNote(note, fork.keys, crypto)))
      : await Promise.all([fork.earlier, fork.later].map((head) => readHead(head, fork, crypto)));
  if (!earlier || !later || earlier.log !== later.log) {
    throw new shape.ShapeError("The two statements are not of the same log and the same epoch.");
  }
  return { log: earlier.log, earlier, later };
}

type LogStatement = ForkStatement & { readonly log: string };

async function readNote(text: string, keys: readonly AuditKey[], crypto: NoteCrypto): Promise<LogStatement> {
  const checkpoint = parseCheckpoint(text, crypto.sha256);
  const { origin: log, size, root } = checkpoint;
  for (const key of keys) {
    const logKey = toLogKey(key, log);
    if (logKey && (await isSignedByLog(checkpoint, logKey, crypto))) return { log, size, root, key };
  }
  throw new shape.ShapeError("No listed key signed the checkpoint.");
}

async function readHead(
  head: SignedHead,
  { of, keys }: Pick<ForkEvidence, "of" | "keys">,
  { verifySignature }: NoteCrypto,
): Promise<LogStatement> {
  const key = keys.find(({ key_id }) => key_id === head.key_id);
  if (of === "checkpoints" || !key || !(await isSignedBy(head, key, verifySignature))) {
    throw new shape.ShapeError("The signature of a head is invalid, or its key is not listed.");
  }
  return { log: `the ${of} of ${head.session_id} in ${head.epoch}`, ...toLogState(head, of), key };
}

function toLogState(head: SignedHead, of: "feed" | "document"): LogState {
  const [size, hex] = of === "feed" ? [head.size, head.root] : [head.document.version, head.document.root];
  const root = fromHex(hex, 32);
  if (!root) throw new shape.ShapeError("A head's root must be 32 bytes in hexadecimal.");
  return { size, root };
}

/** Returns true if the keys are the same, or if one vouches for the other. */
async function isOneLine(
  a: AuditKey,
  b: AuditKey,
  keys: readonly AuditKey[],
  { verifySignature }: NoteCrypto,
): Promise<boolean> {
  const comesFrom = async (key: AuditKey, other: AuditKey) =>
    (await determineTrust(key.key_id, keys, { known: [other], verifySignature })) !==
    "other than the known one";
  return (await comesFrom(a, b)) || (await comesFrom(b, a));
}

/** @throws ShapeError if the path does not show that the later log begins with other entries */
function requireContradiction(
  fork: Pick<ForkEvidence, "from_root" | "path">,
  { earlier, later }: Pick<ForkReport, "earlier" | "later">,
  { sha256 }: NoteCrypto,
): void {
  const fromRoot = parseHash(fork.from_root);
  const path = fork.path.slice(0, hashesMax + 1).map(parseHash);
  if (path.length > hashesMax) throw new shape.ShapeError(`A path has at most ${hashesMax} hashes.`);
  // The path leads from `from_root`, so the later log cannot also begin with the earlier statement's root.
  const isForked =
    earlier.size > 0 &&
    !sameBytes(fromRoot, earlier.root) &&
    verifyConsistency({ from: earlier.size, fromRoot, size: later.size, root: later.root, path }, sha256);
  if (!isForked) {
    throw new shape.ShapeError(
      `The path does not show that the log of ${later.size} entries, root ${toHex(later.root)}, begins with other entries than the earlier one.`,
    );
  }
}

function parseHash(text: string): Uint8Array {
  const hash = fromBase64(text);
  if (hash?.length !== 32) throw new shape.ShapeError("Each hash of the path must be 32 bytes in base64.");
  return hash;
}
