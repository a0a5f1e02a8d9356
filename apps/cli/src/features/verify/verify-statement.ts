import { open, readFile } from "node:fs/promises";
import {
  type AuditKey,
  checkCosigned,
  checkFork,
  type ForkReport,
  findOriginMesh,
  parseCheckpoint,
  parseFork,
  parsePolicy,
  ShapeError,
  toHex,
} from "@merkle/wire/record";
import type { Output } from "../../command/output.js";
import { CliError, exitCodes, usageError } from "../../core/cli-error.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { findKnownMesh } from "../../home/known-meshes.js";
import { toOneLine } from "../../text/one-line.js";
import { findSeenHead } from "../seal/feature.js";
import { findSeenLog } from "../witness/feature.js";

/** A file that a broker or a witness signed and that is not a record, as `merkle verify` shows it. */
export interface VerifiedStatement {
  readonly report: unknown;
  readonly text: string;
  readonly exitCode: typeof exitCodes.done | typeof exitCodes.not_witnessed;
}

interface VerifyStatementOptions {
  readonly home: string;
  /** The text of the reader's policy. */
  readonly policy: string | undefined;
  readonly output: Pick<Output, "mark" | "dim">;
}

const bytesMax = 1_000_000;

/**
 * Verifies a checkpoint or the evidence of a fork (WITNESS-34). Returns null if the file is neither, so that it
 * may be a record.
 *
 * @throws CliError `verification_failed` if the file proves nothing
 */
export async function verifyStatement(
  path: string,
  options: VerifyStatementOptions,
): Promise<VerifiedStatement | null> {
  const kind = await readKind(path);
  if (kind === null) return null;
  const text = await readFile(path, "utf8");
  try {
    return kind === "fork" ? await verifyFork(text, options) : await verifyCheckpoint(text, options);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new CliError("verification_failed", `${path} proves nothing. ${error.message}`, {
      exitCode: exitCodes.verification_failed,
      next: ["ask the sender for the original file"],
      cause: error,
    });
  }
}

/** Tells the kind of a file by its first characters. Null for a record, and for a file that cannot be read. */
async function readKind(path: string): Promise<"checkpoint" | "fork" | null> {
  const file = await open(path, "r").catch(() => null);
  if (!file) return null;
  try {
    const facts = await file.stat();
    if (!facts.isFile() || facts.size > bytesMax) return null;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(11), 0, 11, 0);
    const start = buffer.toString("latin1", 0, bytesRead);
    return start.startsWith("merkle/") ? "checkpoint" : start.startsWith('{"earlier":') ? "fork" : null;
  } finally {
    await file.close();
  }
}

async function verifyFork(
  text: string,
  { home, output }: VerifyStatementOptions,
): Promise<VerifiedStatement> {
  const evidence = parseFork(text);
  const known =
    evidence.of === "checkpoints"
      ? findMeshKeys(home, parseCheckpoint(evidence.earlier, nodeCrypto.sha256).origin)
      : (await findSeenHead(home, evidence.earlier.session_id))?.keys;
  const report = await checkFork(evidence, { ...nodeCrypto, known: known ?? [] });
  return { report: toForkJson(report), text: formatFork(report, output), exitCode: exitCodes.done };
}

/** Returns the keys with which this machine has seen the log signed, or that the mesh's broker has proved. */
function findMeshKeys(home: string, origin: string): readonly AuditKey[] | undefined {
  const meshId = findOriginMesh(origin);
  return findSeenLog(home, origin)?.keys ?? (meshId === null ? undefined : findKnownMesh(home, meshId)?.keys);
}

function toForkJson({ of, log, earlier, later, trust }: ForkReport) {
  const toJson = ({ size, root, key }: ForkReport["earlier"]) => ({
    size,
    root: toHex(root),
    key_id: key.key_id,
  });
  return { fork: true, of, log, earlier: toJson(earlier), later: toJson(later), trust };
}

function formatFork(
  { log, earlier, later, trust }: ForkReport,
  { mark, dim }: VerifyStatementOptions["output"],
): string {
  const formatStatement = ({ size, root, key }: ForkReport["earlier"]) =>
    dim(`  size ${size}, root ${toHex(root)}, signed by ${key.key_id}`);
  const isKnown = trust === "known" || trust === "succeeds a known one";
  return [
    `${mark.fail} One signer signed two histories of ${toOneLine(log)}. Neither continues the other.`,
    isKnown
      ? "  The key is known to this machine, so the broker’s owner must explain this."
      : "  The key is not known to this machine: compare it with the broker’s key, because anyone can sign two histories with their own key.",
    "  This does not prove which history is true.",
    formatStatement(earlier),
    formatStatement(later),
  ].join("\n");
}

async function verifyCheckpoint(
  text: string,
  { policy: policyText, output }: VerifyStatementOptions,
): Promise<VerifiedStatement> {
  if (policyText === undefined) {
    throw usageError(
      "A checkpoint is verified with a policy, which lists the log and its witnesses.",
      "merkle verify checkpoint.txt --policy policy.txt",
    );
  }
  const policy = parsePolicy(policyText, nodeCrypto.sha256);
  const checkpoint = parseCheckpoint(text, nodeCrypto.sha256);
  const { origin, size, root } = checkpoint;
  const now = Math.floor(Date.now() / 1_000);
  const { cosigned, ahead, isEnough } = await checkCosigned(checkpoint, policy, { ...nodeCrypto, now });
  const formatWitness = ([name, at]: readonly [string, number]) =>
    `  cosigned by ${toOneLine(name)} at ${new Date(at * 1_000).toISOString()}`;
  const lines = [
    isEnough
      ? `${output.mark.ok} Signed by the log, and by as many witnesses as the policy requires.`
      : `${output.mark.warn} Signed by the log, but not by as many witnesses as the policy requires.`,
    ...[...cosigned].map(formatWitness),
    ...ahead.map((name) => `  ${toOneLine(name)} does not count: its clock is ahead`),
    output.dim(`  ${origin}, size ${size}, root ${toHex(root)}`),
  ];
  return {
    report: {
      origin,
      size,
      root: toHex(root),
      cosigned: Object.fromEntries(cosigned),
      ahead,
      witnessed: isEnough,
    },
    text: lines.join("\n"),
    exitCode: isEnough ? exitCodes.done : exitCodes.not_witnessed,
  };
}
