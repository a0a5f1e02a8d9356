import { open, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import {
  type AuditKey,
  bundleFiles,
  bundleLimits,
  checkHeadWitnessed,
  type Manifest,
  parseKeys,
  parseManifest,
  parsePolicy,
  type RecordReport,
  readWhole,
  ShapeError,
  type SignedHead,
  toCanonicalJson,
  type VerificationProgress,
  verifyBundle,
  type WitnessVerdict,
} from "@merkle/wire/record";
import { extractBundle } from "@merkle/wire/record/html";
import { checkSurroundingPage, type SurroundingPage } from "@merkle/wire/record/page";
import { openZipBundle, type RandomAccess, UnreadableZip, type ZippedFiles } from "@merkle/wire/record/zip";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { sha256 } from "../../core/sha256.js";
import { findSeenHead, saveSeenHead, toSeenHead } from "../seal/feature.js";
import { readSigned, type SignedContent } from "./signed-content.js";

interface VerifyFileOptions {
  readonly home: string;
  /** A root of the record that was saved earlier, to compare with the file. */
  readonly root?: string | undefined;
  readonly message?: number | undefined;
  /** The texts of the reader's policy and of the proof that a mesh's log has the record's head. */
  readonly policy?: string | undefined;
  readonly proof?: string | undefined;
  /** The head that the broker has a proof of, and that proof. Ignored if the record has another head. */
  readonly logged?: { readonly head: SignedHead; readonly proof: string } | undefined;
  readonly onProgress: (progress: VerificationProgress) => void;
  readonly signal: AbortSignal;
}

/**
 * The report on a record and, for an HTML page, where the page comes from. Includes the signed content if the
 * page is not from Merkle.
 */
export type VerifiedFile = RecordReport & {
  readonly page: SurroundingPage;
  readonly signed?: SignedContent;
  /** The witnesses of the record's head. Null without a policy. */
  readonly witnesses: WitnessVerdict | null;
};

/**
 * Verifies a bundle without a broker or a network, using only the file and the heads and keys saved on this
 * machine (CLI-69). Saves a valid head, so that a later record that does not continue it is detected.
 *
 * @throws CliError if the file is not a bundle; problems in a bundle are in the report
 */
export async function verifyFile(path: string, options: VerifyFileOptions): Promise<VerifiedFile> {
  const { home, root, message, onProgress, signal } = options;
  const file = await openFile(path);
  try {
    const bundle = await openBundle(file, path);
    const page = await checkSurroundingPage(file, {
      createSha256: nodeCrypto.createSha256,
      ownPage: await hashOwnPage(),
    });
    const facts = await readFacts(bundle);
    const seen = facts && (await findSeenHead(home, facts.manifest.head.session_id));
    const trusted = { root, ...(seen && { keys: seen.keys, heads: [seen.head] }) };
    const report = await verifyBundle(bundle, { ...nodeCrypto, trusted, message, onProgress, signal });
    if (report.ok && facts) await saveSeenHead(home, await toSeenHead(facts));
    const isForeign = report.ok && page === "foreign";
    const witnesses = report.ok ? await findWitnesses(report, { ...options, keys: facts?.keys ?? [] }) : null;
    return { ...report, page, witnesses, ...(isForeign && { signed: await readSigned(bundle) }) };
  } finally {
    await file.close();
  }
}

/**
 * Returns which witnesses of the reader's policy cosigned the record's head (WITNESS-31). Nobody did without a
 * proof. Null without a policy.
 *
 * @throws CliError `verification_failed` if the proof is not of this record, or not of a log of the policy
 */
async function findWitnesses(
  { head }: RecordReport,
  { policy: text, logged, keys, ...given }: VerifyFileOptions & Pick<BundleFacts, "keys">,
): Promise<WitnessVerdict | null> {
  if (text === undefined || !head) return null;
  const isLogged = logged && toCanonicalJson(logged.head) === toCanonicalJson(head);
  const proof = given.proof ?? (isLogged ? logged.proof : undefined);
  try {
    const policy = parsePolicy(text, nodeCrypto.sha256);
    if (proof === undefined) return { cosigned: new Map(), ahead: [], isEnough: policy.quorum === null };
    const now = Math.floor(Date.now() / 1_000);
    return await checkHeadWitnessed(head, { ...nodeCrypto, proof, policy, keys, now });
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new CliError("verification_failed", `The witnesses could not be verified. ${error.message}`, {
      exitCode: exitCodes.verification_failed,
      cause: error,
    });
  }
}

/** Reads the facts about a bundle. @throws CliError `verification_failed` if the file is not a bundle */
export async function readBundleFacts(path: string): Promise<BundleFacts> {
  const file = await openFile(path);
  try {
    const facts = await readFacts(await openBundle(file, path));
    if (facts) return facts;
    throw new CliError(
      "verification_failed",
      `${path} does not say which record it belongs to, or a newer version of Merkle wrote it.`,
      {
        exitCode: exitCodes.verification_failed,
        next: [`merkle verify ${path}`],
      },
    );
  } finally {
    await file.close();
  }
}

interface BundleFacts {
  readonly manifest: Manifest;
  readonly keys: readonly AuditKey[];
}

/**
 * Reads a bundle's manifest and keys. Returns null if they are invalid; the verification then reports the
 * reason.
 */
async function readFacts(bundle: ZippedFiles): Promise<BundleFacts | null> {
  const read = async (name: string) => {
    const chunks = bundle.open(name);
    return chunks ? readWhole(chunks, bundleLimits.fileBytesMax) : "";
  };
  try {
    return {
      manifest: parseManifest(await read(bundleFiles.manifest)),
      keys: parseKeys(await read(bundleFiles.keys)),
    };
  } catch {
    return null;
  }
}

/** Opens a bundle. @throws CliError `verification_failed` if the file is not a bundle */
async function openBundle(file: Parameters<typeof openZipBundle>[0], path: string): Promise<ZippedFiles> {
  try {
    return await openZipBundle(await extractBundle(file));
  } catch (error) {
    if (!(error instanceof UnreadableZip)) throw error;
    throw new CliError("verification_failed", `${path} is not a bundle. ${error.message}`, {
      exitCode: exitCodes.verification_failed,
      next: ["ask the sender for the original export"],
      cause: error,
    });
  }
}

/** An open file whose bytes can be read at any position. */
interface OpenFile extends RandomAccess {
  close(): Promise<void>;
}

/** Opens a file for reading. @throws CliError `not_found`, or `unreadable` if the file cannot be read */
export async function openFile(path: string): Promise<OpenFile> {
  const file = await open(path, "r").catch((error: unknown) => {
    throw cannotOpen(path, error);
  });
  const facts = await file.stat();
  if (!facts.isFile()) {
    await file.close();
    throw cannotOpen(path, { code: "EISDIR" });
  }
  return {
    size: facts.size,
    async read(offset, length) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
    close: () => file.close(),
  };
}

function cannotOpen(path: string, error: unknown): CliError {
  const { code = "unknown" } = Object(error);
  if (code === "ENOENT")
    return new CliError("not_found", `There is no file ${path}.`, { exitCode: exitCodes.not_found });
  return new CliError("unreadable", `${path} cannot be read (${code}).`, {
    exitCode: exitCodes.usage,
    cause: error,
  });
}

/** The possible paths of the page for HTML exports: in the package, or in a clone with a built dashboard. */
const templatePaths = ["./dashboard/record.template", "../../../../../dashboard/out/record.template"];

/** Returns the SHA-256 of this build's page for HTML exports, or null if the page was not built. */
async function hashOwnPage(): Promise<string | null> {
  for (const path of templatePaths) {
    const page = await readFile(fileURLToPath(new URL(path, import.meta.url))).catch(() => null);
    if (page) return sha256(page);
  }
  return null;
}
