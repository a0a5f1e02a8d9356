import { createHash } from "node:crypto";
import { ReadableStream, type WritableStream } from "node:stream/web";
import {
  type Database,
  listImportFiles,
  readDocument,
  readImportFile,
  readRecordedVersions,
  wasRedactedAfter,
} from "@merkle/db";
import {
  bundleFiles,
  bundleLimits,
  encodeManifest,
  hashSession,
  type Manifest,
  type SessionInfo,
  type SignedHead,
  toAttachmentName,
  writeJsonLine,
} from "@merkle/wire/record";
import { ZipWriter } from "@zip.js/zip.js/lib/zip-core-writer.js";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import { sha256 } from "../../core/sha256.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { SealServices } from "../seal/feature.js";
import { readRosterText, readStateLines, toSessionAbout } from "../seal/feature.js";
import type { ExportedRecord } from "./exported-record.js";
import { formatDocumentLines, formatFeedLines } from "./log-lines.js";

type ManifestFile = Manifest["files"][number];

/**
 * Writes a session's record as a bundle (EXPORT-2), file by file, and only as fast as the reader consumes the
 * bundle. The manifest comes last because it contains the hashes of the other files.
 */
export async function writeBundle(
  services: SealServices,
  source: { readonly session: SessionIdentity; readonly recorded: ExportedRecord },
  { to, withAttachments }: { readonly to: WritableStream<Uint8Array>; readonly withAttachments: boolean },
): Promise<void> {
  const { database } = services;
  const { session, recorded } = source;
  const { sessionId } = session;
  const zip = new ZipWriter(to, { useWebWorkers: false, zip64: true });
  const files: ManifestFile[] = [];
  const add = async (name: string, texts: AsyncIterable<string | Uint8Array>) => {
    const file = await addFile(zip, name, texts);
    files.push(file);
    return file.sha256;
  };
  await add(bundleFiles.feed, formatFeedLines(database, sessionId, recorded));
  await add(bundleFiles.versions, formatDocumentLines(database, sessionId, recorded));
  await add(bundleFiles.document, readDocumentText(database, sessionId, recorded));
  if (withAttachments) await addAttachments(zip, services, { sessionId, upTo: recorded.size });
  if (recorded.imported) {
    await addImportFiles(services, sessionId, add);
  } else {
    const scope = { db: database.orm, meshId: database.meshId, sessionId, retry: retryWhileLost };
    const roster = await add(bundleFiles.roster, yieldOnce(await readRosterText(scope, recorded)));
    const state = await add(bundleFiles.state, readStateLines(scope));
    const about = toSessionAbout(recorded);
    const head = await recorded.refreshHead({
      session: hashSession({ session: about }, sha256),
      roster,
      state,
    });
    const isNew = !recorded.heads.some(({ signature }) => signature === head.signature);
    await add(bundleFiles.heads, formatHeadLines(isNew ? [...recorded.heads, head] : recorded.heads));
    await add(bundleFiles.keys, yieldOnce(writeJsonLine(recorded.keys)));
    await add(bundleFiles.manifest, yieldOnce(writeJsonLine(signManifest(about, { recorded, head, files }))));
  }
  if (await wasRedactedAfter(database.orm, sessionId, recorded.size)) throw new RedactedMeanwhile();
  await zip.close();
}

/**
 * Adds the files that messages carry. The manifest does not list them: the messages name their digests, and a bundle
 * without them is complete (ATTACH-14).
 */
async function addAttachments(
  zip: ZipWriter<unknown>,
  { database, hooks }: SealServices,
  record: { readonly sessionId: string; readonly upTo: number },
): Promise<void> {
  let count = 0;
  for (const hook of hooks.onExport) {
    for await (const { digest, bytes } of hook.listFiles(database, record)) {
      if (++count > bundleLimits.attachmentsMax) return;
      await addFile(zip, toAttachmentName(digest), bytes);
    }
  }
}

/**
 * Adds the original files of an imported session byte for byte, as the broker of origin signed them
 * (IMPORT-4).
 */
async function addImportFiles(
  { database }: SealServices,
  sessionId: string,
  add: (name: string, texts: AsyncIterable<Uint8Array>) => Promise<string>,
): Promise<void> {
  for (const name of await listImportFiles(database.orm, sessionId)) {
    await add(name, readImportFileParts(database, { sessionId, name }));
  }
}

async function* readImportFileParts(
  { orm }: Pick<Database, "orm">,
  file: { readonly sessionId: string; readonly name: string },
): AsyncGenerator<Uint8Array> {
  for (let part = 0; ; part += 1) {
    const bytes = await retryWhileLost(() => readImportFile(orm, { ...file, part }));
    if (!bytes) return;
    yield bytes;
  }
}

/**
 * Thrown if text was removed during the export. The bundle would lack the message about the removal, and so
 * would look damaged.
 */
class RedactedMeanwhile extends Error {
  override readonly name = "RedactedMeanwhile";
  override readonly message = "A text was removed while it was exported, so the bundle was not finished.";
}

async function addFile(
  zip: ZipWriter<unknown>,
  name: string,
  texts: AsyncIterable<string | Uint8Array>,
): Promise<ManifestFile> {
  const sha256 = createHash("sha256");
  let bytes = 0;
  async function* encode(): AsyncGenerator<Uint8Array> {
    for await (const text of texts) {
      const chunk = Buffer.from(text);
      sha256.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  await zip.add(name, ReadableStream.from(encode()) as globalThis.ReadableStream<Uint8Array>);
  return { name, bytes, sha256: sha256.digest("hex") };
}

function signManifest(
  session: SessionInfo,
  { recorded, head, files }: { recorded: ExportedRecord; head: SignedHead; files: readonly ManifestFile[] },
): Manifest {
  const unsigned = {
    format: "merkle-bundle" as const,
    version: 2 as const,
    session,
    epoch: head.epoch,
    exported_at: new Date().toISOString(),
    size: recorded.size,
    document_version: recorded.documentVersion,
    head,
    files,
    key_id: recorded.keyId,
  };
  return { ...unsigned, signature: recorded.sign(encodeManifest(unsigned)) };
}

/**
 * Yields the document version that the record ends with. Newer versions may have been written during the
 * export.
 */
async function* readDocumentText(
  { orm }: Pick<Database, "orm">,
  sessionId: string,
  { documentVersion }: ExportedRecord,
): AsyncGenerator<string> {
  const document = await readDocument(orm, sessionId);
  if (document?.version === documentVersion) {
    yield document.content;
    return;
  }
  const [row] = await readRecordedVersions(orm, sessionId, {
    after: documentVersion - 1,
    upTo: documentVersion,
    limit: 1,
  });
  yield row?.content ?? "";
}

async function* formatHeadLines(heads: readonly SignedHead[]): AsyncGenerator<string> {
  for (const head of heads) yield writeJsonLine(head);
}

async function* yieldOnce(text: string): AsyncGenerator<string> {
  yield text;
}
