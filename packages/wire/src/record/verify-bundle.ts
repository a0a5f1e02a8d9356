import type { Sha256 } from "../audit/merkle-tree.js";
import {
  bundleFiles,
  bundleLimits,
  type Manifest,
  manifestBytes,
  parseHeadLine,
  parseKeys,
  parseManifest,
} from "./bundle.js";
import { collectFindings, type Findings, joinFindings } from "./findings.js";
import { type AuditKey, holds, isSignedBy, type SignedHead, type VerifySignature } from "./head.js";
import { type BundleReader, type BundleSource, type GrowingHash, readBundle } from "./read-bundle.js";
import { readLines, readWhole, UnreadableLines } from "./read-lines.js";
import type { RecordReport, VerifiedRow } from "./report.js";
import { ShapeError } from "./shape.js";
import { verifyDocument } from "./verify-document.js";
import { verifyFeed } from "./verify-feed.js";
import { checkKeys, trustIn } from "./verify-keys.js";
import type { Checkpoint } from "./verify-log.js";

export interface VerifyOptions {
  readonly sha256: Sha256;
  readonly createSha256: () => GrowingHash;
  readonly verifySignature: VerifySignature;
  /** What is known of this record from before, or from elsewhere. */
  readonly trusted?: Trusted | undefined;
  /** A message that must be there, and be among those that the trusted root is over. */
  readonly message?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onRow?: ((row: VerifiedRow) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Trusted {
  readonly keys?: readonly AuditKey[] | undefined;
  /** Their signatures were checked when they were remembered. */
  readonly heads?: readonly SignedHead[] | undefined;
  /** The root over some beginning of the feed, in hexadecimal. */
  readonly root?: string | undefined;
}

export interface Progress {
  readonly log: "feed" | "document";
  readonly done: number;
  /** 0 when the manifest cannot be read. */
  readonly of: number;
}

/**
 * Checks a whole record: each message and version against its hash, the hashes against the roots, the roots against the
 * signed heads, signatures against keys, files against the manifest. It reads each file once, keeps a line of it at a time,
 * and gives way to others as it goes. A bundle may be anything: what is wrong with it stands in the report.
 *
 * @throws only what the signal was aborted with
 */
export async function verifyBundle(source: BundleSource, options: VerifyOptions): Promise<RecordReport> {
  const { trusted = {}, sha256, verifySignature, onProgress, onRow, signal } = options;
  const files = collectFindings();
  const reading: Reading = { reader: readBundle(source, options), files, signal };

  const keys = (await readSmall(reading, bundleFiles.keys, parseKeys)) ?? [];
  const manifest = await readSmall(reading, bundleFiles.manifest, parseManifest);
  const signatures = collectFindings();
  for (const message of await checkKeys(keys, options)) {
    signatures.add({ code: "key", message, file: bundleFiles.keys });
  }
  const checkSignature = (head: SignedHead) => whyUnsigned(head, keys, verifySignature);
  const recordId = manifest?.session.session_id ?? null;
  const heads = await readHeads(reading, { recordId, checkSignature, signatures });
  if (manifest) await checkManifest(manifest, { keys, checkSignature, signatures, options });

  const vouching = [
    ...heads.map((head) => ({ head, whose: `the head signed ${head.at}`, mustReach: true })),
    ...(manifest ? [{ head: manifest.head, whose: "the head of the export", mustReach: true }] : []),
    ...(trusted.heads ?? []).map((head) => ({
      head,
      whose: `the head remembered from ${head.at}`,
      // What was exported before that head is shorter, and nothing is wrong with it.
      mustReach: manifest === null || manifest.exported_at >= head.at,
    })),
  ];
  const progress = (log: Progress["log"], of: number) => (done: number) => {
    if (done % 1000 === 0 || done === of) onProgress?.({ log, done, of });
  };

  const feed = await verifyFeed(linesOf(reading, bundleFiles.feed), {
    recordId,
    sha256,
    checkSignature,
    onRow,
    noted: trusted.root,
    checkpoints: vouching.map(({ head, ...by }): Checkpoint => ({ size: head.size, root: head.root, ...by })),
    onLine: progress("feed", manifest?.size ?? 0),
  });
  const seals = feed.seals.map((head) => ({ head, whose: `the seal of ${head.at}`, mustReach: true }));
  const document = await verifyDocument(linesOf(reading, bundleFiles.versions), {
    recordId,
    sha256,
    onRow,
    checkpoints: [...vouching, ...seals].map(
      ({
        head: {
          document: { version, root, hash },
        },
        ...by
      }): Checkpoint => ({
        size: version,
        root,
        contentHash: hash,
        ...by,
      }),
    ),
    onLine: progress("document", manifest?.document_version ?? 0),
  });

  await readOthers(reading, source.names);
  if (manifest) compareFiles(manifest, reading, source.names);
  const { read } = reading.reader;
  const text = read.get(bundleFiles.document)?.sha256;
  if (text !== undefined && document.text !== null && text !== document.text) {
    files.add({
      code: "file",
      message: `${bundleFiles.document} is not the last version of the document.`,
      document_version: document.version,
      file: bundleFiles.document,
    });
  }
  const tell = async (keyId: string) => ({
    key_id: keyId,
    trust: await trustIn(keyId, keys, { known: trusted.keys ?? [], verifySignature }),
  });
  const asked = checkAsked(options, feed);
  const findings = joinFindings([feed.findings, document.findings, asked, signatures, files]);

  return {
    ok: findings.length === 0,
    session: manifest?.session ?? null,
    size: feed.size,
    document_version: document.version,
    root: feed.root,
    document_root: document.root,
    matched: feed.matched,
    redacted: feed.redacted,
    private: feed.private,
    head: manifest?.head ?? null,
    signed_by: manifest && (await tell(manifest.head.key_id)),
    exported_by: manifest && (await tell(manifest.key_id)),
    noted:
      trusted.root !== undefined && feed.notedSize !== null
        ? { root: trusted.root, size: feed.notedSize }
        : null,
    findings,
  };
}

interface Reading {
  readonly reader: BundleReader;
  readonly files: Findings;
  readonly signal: AbortSignal | undefined;
}

/** The lines of a file, as far as it can be read; why no further stands in the findings. */
async function* linesOf({ reader, files, signal }: Reading, file: string): AsyncGenerator<string> {
  const chunks = reader.open(file);
  if (!chunks) return files.add({ code: "file", message: `${file} is missing.`, file });
  try {
    yield* readLines(chunks, bundleLimits.lineBytesMax);
  } catch (error) {
    signal?.throwIfAborted();
    files.add({ code: "file", message: `${file} cannot be read to its end: ${reasonOf(error)}`, file });
  }
}

async function readSmall<T>({ reader, files, signal }: Reading, file: string, parse: (text: string) => T) {
  const chunks = reader.open(file);
  if (!chunks) {
    files.add({ code: "file", message: `${file} is missing.`, file });
    return null;
  }
  try {
    return parse(await readWhole(chunks, bundleLimits.fileBytesMax));
  } catch (error) {
    signal?.throwIfAborted();
    const code = error instanceof ShapeError || error instanceof UnreadableLines ? "form" : "file";
    files.add({ code, message: `${file} cannot be read: ${reasonOf(error)}`, file });
    return null;
  }
}

/** Those heads that are of this record and signed; of the others it is said what is wrong. */
async function readHeads(
  reading: Reading,
  given: {
    recordId: string | null;
    checkSignature: (head: SignedHead) => Promise<string | null>;
    signatures: Findings;
  },
): Promise<SignedHead[]> {
  const { recordId, checkSignature, signatures } = given;
  const file = bundleFiles.heads;
  const heads: SignedHead[] = [];
  let line = 0;
  for await (const text of linesOf(reading, file)) {
    line++;
    if (line > bundleLimits.headsMax) {
      signatures.add({
        code: "form",
        message: `There are more than ${bundleLimits.headsMax} heads.`,
        file,
        line,
      });
      break;
    }
    try {
      const head = parseHeadLine(text);
      const at = { file, line, sequence: head.size };
      const wrong = await checkSignature(head);
      const name = `The head over ${head.size} messages signed ${head.at}`;
      if (wrong !== null) signatures.add({ code: "signature", message: `${name} ${wrong}`, ...at });
      else if (recordId !== null && head.session_id !== recordId) {
        signatures.add({ code: "head", message: `${name} is of another record, ${head.session_id}.`, ...at });
      } else heads.push(head);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      signatures.add({ code: "form", message: `Head ${line} cannot be read: ${error.message}`, file, line });
    }
  }
  return heads;
}

async function whyUnsigned(
  head: SignedHead,
  keys: readonly AuditKey[],
  verifySignature: VerifySignature,
): Promise<string | null> {
  const key = keys.find(({ key_id }) => key_id === head.key_id);
  if (!key) return `names the key ${head.key_id}, which is not among the record's.`;
  if (!(await isSignedBy(head, key, verifySignature)))
    return `has a signature that does not hold: it was changed.`;
  return null;
}

async function checkManifest(
  manifest: Manifest,
  given: {
    keys: readonly AuditKey[];
    checkSignature: (head: SignedHead) => Promise<string | null>;
    signatures: Findings;
    options: VerifyOptions;
  },
): Promise<void> {
  const { keys, checkSignature, signatures, options } = given;
  const { verifySignature, trusted } = options;
  const { head, key_id, signature } = manifest;
  const file = bundleFiles.manifest;
  const unsigned = await checkSignature(head);
  if (unsigned) signatures.add({ code: "signature", message: `The head of the export ${unsigned}`, file });
  const isOwn =
    head.session_id === manifest.session.session_id &&
    head.size === manifest.size &&
    head.document.version === manifest.document_version;
  if (!isOwn) {
    signatures.add({
      code: "head",
      message: "The head of the export is not over what the manifest says is here.",
      file,
    });
  }
  const key = keys.find((each) => each.key_id === key_id);
  const bytes = manifestBytes(manifest);
  if (!key || !(await holds({ publicKey: key.public_key, bytes, signature }, verifySignature))) {
    signatures.add({
      code: "signature",
      message: "The manifest's signature does not hold: it was changed.",
      file,
    });
  }
  const known = trusted?.keys ?? [];
  if ((await trustIn(head.key_id, keys, { known, verifySignature })) === "other than the known one") {
    const names = known.map((each) => each.key_id).join(", ");
    const message = `The record is signed with the key ${head.key_id}, which none of those known here (${names}) vouches for: another broker signed it, or somebody who says to be it.`;
    signatures.add({ code: "key", message, file });
  }
}

/** The files that nothing is read from are still those that the manifest names. */
async function readOthers({ reader, files, signal }: Reading, names: readonly string[]): Promise<void> {
  const known: readonly string[] = [
    bundleFiles.feed,
    bundleFiles.versions,
    bundleFiles.heads,
    bundleFiles.keys,
    bundleFiles.manifest,
  ];
  for (const name of names.filter((each) => !known.includes(each))) {
    try {
      for await (const _ of reader.open(name) ?? []);
    } catch (error) {
      signal?.throwIfAborted();
      files.add({ code: "file", message: `${name} cannot be read: ${reasonOf(error)}`, file: name });
    }
  }
}

function compareFiles(manifest: Manifest, { reader, files }: Reading, names: readonly string[]): void {
  const named = new Map(manifest.files.map((file) => [file.name, file]));
  for (const [file, { bytes, sha256 }] of named) {
    const own = reader.read.get(file);
    const add = (message: string) => files.add({ code: "file", message: `${file} ${message}`, file });
    if (!names.includes(file)) add("is named by the manifest and missing.");
    else if (own && own.bytes !== bytes) add(`has ${own.bytes} bytes, where the manifest says ${bytes}.`);
    else if (own && own.sha256 !== sha256) add("has another hash than the manifest says.");
  }
  for (const file of names) {
    if (file === bundleFiles.manifest || named.has(file)) continue;
    files.add({ code: "file", message: `${file} is not named by the manifest.`, file });
  }
}

/** Whether the message and the root that were asked for are there. */
function checkAsked(
  { message, trusted }: VerifyOptions,
  { size, notedSize }: { size: number; notedSize: number | null },
): Findings {
  const findings = collectFindings();
  const add = (text: string) => findings.add({ code: "noted", message: text });
  if (message !== undefined && (message < 1 || message > size)) {
    add(`There is no message ${message}: the record has ${size}.`);
  } else if (trusted?.root !== undefined && notedSize === null) {
    add(`No beginning of this feed has the root ${trusted.root}.`);
  } else if (message !== undefined && notedSize !== null && message > notedSize) {
    add(
      `The root ${trusted?.root} is over messages 1 to ${notedSize}, and message ${message} is not one of them.`,
    );
  }
  return findings;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
