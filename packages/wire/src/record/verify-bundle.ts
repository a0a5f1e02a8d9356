import type { Sha256 } from "../core/merkle-tree.js";
import { ShapeError } from "../core/shape.js";
import {
  type AuditKey,
  isSignedBy,
  isValidSignature,
  type SignedHead,
  type VerifySignature,
} from "../identity/head.js";
import { createBreather } from "./breather.js";
import {
  bundleFileNames,
  bundleFiles,
  bundleLimits,
  encodeManifest,
  findAttachmentDigest,
  hashSession,
  type Manifest,
  parseAnyJson,
  parseHeadLine,
  parseKeys,
  parseManifest,
} from "./bundle.js";
import { collectFindings, type Findings, joinFindings } from "./findings.js";
import { type BundleReader, type BundleSource, type GrowingHash, readBundle } from "./read-bundle.js";
import { readLines, readWhole, UnreadableLines } from "./read-lines.js";
import type { FindingCode, RecordReport, VerifiedRow } from "./report.js";
import { type VerifiedDocument, verifyDocument } from "./verify-document.js";
import { type NamedAttachments, type VerifiedFeed, verifyFeed } from "./verify-feed.js";
import { checkKeys, determineTrust } from "./verify-keys.js";
import type { Checkpoint } from "./verify-log.js";

export interface VerifyOptions {
  readonly sha256: Sha256;
  readonly createSha256: () => GrowingHash;
  readonly verifySignature: VerifySignature;
  /** Heads, keys and a root of this record that the caller already knows from elsewhere. */
  readonly trusted?: TrustAnchors | undefined;
  /** Sequence of a message that must exist and that the trusted root must cover. */
  readonly message?: number | undefined;
  readonly onProgress?: ((progress: VerificationProgress) => void) | undefined;
  readonly onRow?: ((row: VerifiedRow) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface TrustAnchors {
  readonly keys?: readonly AuditKey[] | undefined;
  /** Heads that were seen earlier. Their signatures were verified when they were stored. */
  readonly heads?: readonly SignedHead[] | undefined;
  /** Root over the first messages of the feed, in hexadecimal. */
  readonly root?: string | undefined;
}

export interface VerificationProgress {
  readonly log: "feed" | "document";
  readonly done: number;
  /** Total number of lines. 0 if the manifest cannot be read. */
  readonly of: number;
}

/**
 * Verifies a complete record: messages and versions against their hashes, hashes against roots, roots against
 * signed heads, signatures against keys, and files against the manifest. Reads each file once, line by line,
 * and yields to other work. The bundle is not trusted: the report lists faults, and leaves out data without a
 * trusted signature.
 *
 * @throws the signal's reason if it is aborted, and nothing else
 */
export async function verifyBundle(source: BundleSource, options: VerifyOptions): Promise<RecordReport> {
  const { trusted = {}, sha256, verifySignature, onProgress, onRow, signal } = options;
  const files = collectFindings();
  const reading: BundleReading = { reader: readBundle(source, options), files, signal };

  const keys = (await readSmall(reading, bundleFiles.keys, parseKeys)) ?? [];
  const manifest = await readSmall(reading, bundleFiles.manifest, parseManifest);
  const signatures = collectFindings();
  for (const message of await checkKeys(keys, options)) {
    signatures.add({ code: "key", message, file: bundleFiles.keys });
  }
  const checkSignature = (head: SignedHead) => describeSignatureProblem(head, keys, verifySignature);
  const recordId = manifest?.head.session_id ?? null;
  const heads = await readHeads(reading, { recordId, checkSignature, signatures });
  const validity = manifest
    ? await checkManifest(manifest, { keys, checkSignature, signatures, options })
    : { head: false, manifest: false };

  const headCheckpoints = [
    ...heads.map((head) => ({ head, description: `the head signed ${head.at}`, mustReach: true })),
    ...(manifest ? [{ head: manifest.head, description: "the head of the export", mustReach: true }] : []),
    ...(trusted.heads ?? []).map((head) => ({
      head,
      description: `the head remembered from ${head.at}`,
      // A copy that was exported before the client stored this head may legitimately be shorter. The export
      // time counts only if a trusted signature covers it.
      mustReach: !manifest || !validity.manifest || manifest.exported_at >= head.at,
    })),
  ];
  const createProgressListener = (log: VerificationProgress["log"], of: number) => (done: number) => {
    if (done % 1000 === 0 || done === of) onProgress?.({ log, done, of });
  };

  const feed = await verifyFeed(readBundleLines(reading, bundleFiles.feed), {
    recordId,
    sha256,
    checkSignature,
    onRow,
    includedAttachments: new Set(source.names.map(findAttachmentDigest).filter((digest) => digest !== null)),
    noted: trusted.root,
    checkpoints: headCheckpoints.map(
      ({ head, ...by }): Checkpoint => ({ size: head.size, root: head.root, ...by }),
    ),
    onLine: createProgressListener("feed", manifest?.size ?? 0),
  });
  const seals = feed.seals.map((head) => ({ head, description: `the seal of ${head.at}`, mustReach: true }));
  const document = await verifyDocument(readBundleLines(reading, bundleFiles.versions), {
    recordId,
    sha256,
    onRow,
    removed: feed.removed,
    checkpoints: [...headCheckpoints, ...seals].map(
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
    onLine: createProgressListener("document", manifest?.document_version ?? 0),
  });
  if (manifest) reportUnsignedEntries(manifest.head, feed, document);

  await readRemainingFiles(reading, source.names, manifest?.version ?? 2);
  await checkAttachments(reading, source.names, feed.attachments);
  const { read } = reading.reader;
  if (manifest) {
    compareFiles(manifest, reading);
    compareAbout(manifest, reading);
  }
  const text = read.get(bundleFiles.document)?.sha256;
  if (text !== undefined && text !== document.text) {
    files.add({
      code: "file",
      message: `${bundleFiles.document} is not the last version of the document.`,
      document_version: document.version,
      file: bundleFiles.document,
    });
  }
  const requestFindings = checkRequest(options, feed);
  const findings = joinFindings([feed.findings, document.findings, requestFindings, signatures, files]);
  const isOk = findings.length === 0;
  const trust =
    manifest &&
    (await determineTrust(manifest.head.key_id, keys, { known: trusted.keys ?? [], verifySignature }));
  const laterHead = (trusted.heads ?? []).find(
    ({ size, document: { version } }) => size > feed.size || version > document.version,
  );

  return {
    ok: isOk,
    format: manifest?.version ?? null,
    session: manifest && validity.manifest ? manifest.session : null,
    exported_at: manifest && validity.manifest ? manifest.exported_at : null,
    size: feed.size,
    document_version: document.version,
    root: feed.root,
    document_root: document.root,
    matched: feed.matched,
    redacted: feed.redacted,
    private: feed.private,
    attachments: { named: feed.attachments.named, included: feed.attachments.included },
    head: manifest && validity.head ? manifest.head : null,
    signed_by: manifest && trust && validity.head ? { key_id: manifest.head.key_id, trust } : null,
    seen_later: isOk && laterHead ? laterHead : null,
    unproven: [
      ...(manifest ? describeUnproven(manifest, validity.manifest) : []),
      ...describeMissingAttachments(feed.attachments),
    ],
    noted:
      trusted.root !== undefined && feed.notedSize !== null
        ? { root: trusted.root, size: feed.notedSize }
        : null,
    findings,
  };
}

/** Lists facts that the record shows, but that its format does not cover or no trusted key has signed. */
function describeUnproven({ version, key_id }: Manifest, isSigned: boolean): string[] {
  if (version === 2) return [];
  const around = "the title, the description, the status, the times of the session, the roster and the state";
  return isSigned
    ? [`Format 1: no head covers ${around}. Only the signature of the export does.`]
    : [
        `Format 1, exported by a different broker (key ${key_id}) from the one that signed the record: no trusted key has signed ${around}, or the time of the export.`,
      ];
}

/** Says how many of the messages' files are not in the bundle. */
function describeMissingAttachments({ named, included }: NamedAttachments): string[] {
  if (named === included) return [];
  const which = included === 0 ? `the ${named} files` : `${named - included} of the ${named} files`;
  return [
    `The bundle does not contain the bytes of ${which} that messages carry, only their names, sizes, types and digests.`,
  ];
}

/**
 * Reports messages and versions beyond those that the export's head covers, because no signature covers them.
 */
function reportUnsignedEntries(head: SignedHead, feed: VerifiedFeed, document: VerifiedDocument): void {
  const logs = [
    { one: "message", file: bundleFiles.feed, is: feed.size, signed: head.size, findings: feed.findings },
    {
      one: "version",
      file: bundleFiles.versions,
      is: document.version,
      signed: head.document.version,
      findings: document.findings,
    },
  ] as const;
  for (const { one, file, is, signed, findings } of logs) {
    if (is <= signed) continue;
    const message = `There are ${is} ${one}s, but the head of the export covers only ${signed}. No signature covers ${one} ${signed + 1}.`;
    const at = one === "message" ? { sequence: signed + 1 } : { document_version: signed + 1 };
    findings.add({ code: "sequence", message, file, ...at });
  }
}

interface BundleReading {
  readonly reader: BundleReader;
  readonly files: Findings;
  readonly signal: AbortSignal | undefined;
}

/** Yields the lines of a file until one cannot be read. If the lines end early, the findings say why. */
async function* readBundleLines(
  { reader, files, signal }: BundleReading,
  file: string,
): AsyncGenerator<string> {
  const chunks = reader.open(file);
  if (!chunks) return files.add({ code: "file", message: `${file} is missing.`, file });
  try {
    yield* readLines(chunks, bundleLimits.lineBytesMax);
  } catch (error) {
    signal?.throwIfAborted();
    files.add({ code: "file", message: `${file} cannot be read to its end: ${describeError(error)}`, file });
  }
}

async function readSmall<T>(
  { reader, files, signal }: BundleReading,
  file: string,
  parse: (text: string) => T,
  bytesMax: number = bundleLimits.fileBytesMax,
) {
  const chunks = reader.open(file);
  if (!chunks) {
    files.add({ code: "file", message: `${file} is missing.`, file });
    return null;
  }
  try {
    return parse(await readWhole(chunks, bytesMax));
  } catch (error) {
    signal?.throwIfAborted();
    const code = error instanceof ShapeError || error instanceof UnreadableLines ? "form" : "file";
    files.add({ code, message: `${file} cannot be read: ${describeError(error)}`, file });
    return null;
  }
}

/** Returns the signed heads that belong to this record. Adds a finding for every other head. */
async function readHeads(
  reading: BundleReading,
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
  const breathe = createBreather();
  for await (const text of readBundleLines(reading, file)) {
    line++;
    await breathe();
    if (signatures.isFull) break;
    if (line > bundleLimits.headsMax) {
      signatures.add({
        code: "form",
        message: `The file has more than ${bundleLimits.headsMax} heads.`,
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

async function describeSignatureProblem(
  head: SignedHead,
  keys: readonly AuditKey[],
  verifySignature: VerifySignature,
): Promise<string | null> {
  const key = keys.find(({ key_id }) => key_id === head.key_id);
  if (!key) return `names the key ${head.key_id}, which is not one of the record's keys.`;
  if (!(await isSignedBy(head, key, verifySignature)))
    return `has an invalid signature: it was changed after it was signed.`;
  return null;
}

/**
 * Checks whether the head's key has signed the head, and whether that key or its successor has signed the
 * manifest. Returns true for each of the two whose statements can be trusted.
 */
async function checkManifest(
  manifest: Manifest,
  given: {
    keys: readonly AuditKey[];
    checkSignature: (head: SignedHead) => Promise<string | null>;
    signatures: Findings;
    options: VerifyOptions;
  },
): Promise<{ head: boolean; manifest: boolean }> {
  const { keys, checkSignature, signatures, options } = given;
  const { verifySignature, trusted, sha256 } = options;
  const { head, key_id, signature, version, session, size, document_version, epoch } = manifest;
  const file = bundleFiles.manifest;
  const add = (code: FindingCode, message: string) => signatures.add({ code, message, file });

  const unsigned = await checkSignature(head);
  if (unsigned) add("signature", `The head of the export ${unsigned}`);
  const isOwn =
    head.session_id === session.session_id &&
    head.size === size &&
    head.document.version === document_version &&
    head.epoch === epoch;
  if (!isOwn) add("head", "The head of the export does not cover what the manifest lists.");
  if ((head.about !== undefined) !== (version === 2)) {
    add("form", `The manifest has format ${version}, but its head has another format.`);
  }
  const isAbout = head.about === undefined || head.about.session === hashSession(manifest, sha256);
  if (!isAbout) add("head", "The session facts do not match the head of the export.");

  const key = keys.find((each) => each.key_id === key_id);
  const bytes = encodeManifest(manifest);
  const isManifestSigned =
    key !== undefined &&
    (await isValidSignature({ publicKey: key.public_key, bytes, signature }, verifySignature));
  if (!isManifestSigned)
    add("signature", "The manifest's signature is invalid: it was changed after it was signed.");
  const headKeys = keys.filter((each) => each.key_id === head.key_id);
  const chain = await determineTrust(key_id, keys, { known: headKeys, verifySignature });
  const isVouched = chain === "known" || chain === "succeeds a known one";
  // In format 1, the broker that exports a copy of an imported session signs the manifest with its own key.
  // Its statements are then left out, and the head covers only the logs.
  if (!isVouched && version === 2) {
    add(
      "key",
      `The manifest is signed with the key ${key_id}, but the key of its head does not vouch for that key.`,
    );
  }

  const known = trusted?.keys ?? [];
  if ((await determineTrust(head.key_id, keys, { known, verifySignature })) === "other than the known one") {
    const names = known.map((each) => each.key_id).join(", ");
    const message = `The record is signed with the key ${head.key_id}, and none of the keys known here (${names}) vouches for it. Another broker signed the record, or someone who claims to be this one.`;
    add("key", message);
  }
  const isHead = unsigned === null;
  return { head: isHead, manifest: isHead && isOwn && isAbout && isManifestSigned && isVouched };
}

/**
 * Reads the files that neither log covers. They are hashed as a whole, and each line or file must be
 * canonical JSON.
 */
async function readRemainingFiles(
  reading: BundleReading,
  names: readonly string[],
  format: Manifest["version"],
): Promise<void> {
  const { files } = reading;
  const known = bundleFileNames(format);
  for (const file of known.filter((name) => !names.includes(name) && !filesAlreadyRead.has(name))) {
    files.add({ code: "file", message: `${file} is missing.`, file });
  }
  for (const file of names) {
    if (filesAlreadyRead.has(file) || findAttachmentDigest(file) !== null) continue;
    if (!known.includes(file))
      files.add({ code: "file", message: `${file} is not a file of a bundle.`, file });
    else if (file === bundleFiles.state) await readState(reading);
    else if (file === bundleFiles.document) await readThrough(reading, file);
    else await readSmall(reading, file, parseAnyJson, bundleLimits.listBytesMax);
  }
}

/** Files that were read earlier. If one of them is missing, that has already been reported. */
const filesAlreadyRead: ReadonlySet<string> = new Set([
  bundleFiles.feed,
  bundleFiles.versions,
  bundleFiles.heads,
  bundleFiles.keys,
  bundleFiles.manifest,
]);

async function readState(reading: BundleReading): Promise<void> {
  const { files } = reading;
  const file = bundleFiles.state;
  const wrong = collectFindings();
  const breathe = createBreather();
  let line = 0;
  for await (const text of readBundleLines(reading, file)) {
    line++;
    try {
      parseAnyJson(text);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      wrong.add({
        code: "form",
        message: `Line ${line} of ${file} cannot be read: ${error.message}`,
        file,
        line,
      });
    }
    if (wrong.isFull) break;
    await breathe();
  }
  files.add(...wrong.list);
}

/**
 * Checks the messages' files that the bundle contains: the bytes must have the digest in the file's name, and the size
 * that a message names. A file that no message names is a fault, because nothing signed covers it.
 */
async function checkAttachments(
  reading: BundleReading,
  names: readonly string[],
  { sizes }: NamedAttachments,
): Promise<void> {
  const { reader, files } = reading;
  const wrong = collectFindings();
  for (const file of names) {
    const digest = findAttachmentDigest(file);
    if (digest === null) continue;
    if (wrong.isFull) break;
    const add = (message: string) => wrong.add({ code: "file", message: `${file} ${message}`, file });
    const size = sizes.get(digest);
    if (size === undefined) {
      add("is not named by any message.");
      continue;
    }
    await readThrough(reading, file);
    const read = reader.read.get(file);
    if (read && read.sha256 !== digest) add("does not have the bytes that a message names.");
    else if (read && read.bytes !== size) add(`has ${read.bytes} bytes, but a message names ${size}.`);
  }
  files.add(...wrong.list);
}

async function readThrough({ reader, files, signal }: BundleReading, file: string): Promise<void> {
  try {
    for await (const _ of reader.open(file) ?? []);
  } catch (error) {
    signal?.throwIfAborted();
    files.add({ code: "file", message: `${file} cannot be read: ${describeError(error)}`, file });
  }
}

/**
 * Compares the roster and the state with their hashes in the head. The manifest contains these hashes too,
 * but may have been signed later.
 */
function compareAbout({ head: { about } }: Manifest, { reader, files }: BundleReading): void {
  if (!about) return;
  for (const [file, hash] of [
    [bundleFiles.roster, about.roster],
    [bundleFiles.state, about.state],
  ] as const) {
    const own = reader.read.get(file);
    if (!own || own.sha256 === hash) continue;
    files.add({ code: "file", message: `${file} does not match the head of the export.`, file });
  }
}

function compareFiles(manifest: Manifest, { reader, files }: BundleReading): void {
  const own = bundleFileNames(manifest.version).filter((name) => name !== bundleFiles.manifest);
  for (const file of own) {
    const add = (message: string) => files.add({ code: "file", message: `${file} ${message}`, file });
    const [named, ...again] = manifest.files.filter(({ name }) => name === file);
    const read = reader.read.get(file);
    if (!named) add("is missing from the manifest.");
    else if (again.length > 0) add("is listed in the manifest more than once.");
    else if (read && read.bytes !== named.bytes)
      add(`has ${read.bytes} bytes, but the manifest lists ${named.bytes}.`);
    else if (read && read.sha256 !== named.sha256) add("does not have the hash listed in the manifest.");
  }
  for (const { name: file } of manifest.files.filter(({ name }) => !own.includes(name))) {
    const message = `The manifest lists ${JSON.stringify(file.slice(0, 100))}, which is not a file of a bundle.`;
    files.add({ code: "file", message, file: bundleFiles.manifest });
  }
}

/** Checks that the requested message exists, and that the trusted root was found. */
function checkRequest(
  { message, trusted }: VerifyOptions,
  { size, notedSize }: { size: number; notedSize: number | null },
): Findings {
  const findings = collectFindings();
  const add = (text: string) => findings.add({ code: "noted", message: text });
  if (message !== undefined && (message < 1 || message > size)) {
    add(`There is no message ${message}: the record has ${size} messages.`);
  } else if (trusted?.root !== undefined && notedSize === null) {
    add(`This feed has never had the root ${trusted.root}.`);
  } else if (message !== undefined && notedSize !== null && message > notedSize) {
    add(
      `The root ${trusted?.root} covers messages 1 to ${notedSize}, which do not include message ${message}.`,
    );
  }
  return findings;
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
