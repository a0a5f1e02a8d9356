import {
  findImported,
  findSession,
  finishImportedDocument,
  finishImportedFeed,
  holdImport,
  type ImportedSessionRow,
  insertImport,
  insertImportedTeams,
  isDataError,
  keepOriginKeys,
  listImportFiles,
  replaceImportedState,
  saveHead,
  saveImportFile,
  type Transaction,
} from "@merkle/db";
import { type ImportResult, MerkleError } from "@merkle/wire";
import {
  bundleFileNames,
  bundleFiles,
  findAttachmentDigest,
  type Manifest,
  parseHeadLine,
  parseKeys,
  parseManifest,
  type RecordReport,
  type SignedHead,
  toAttachmentName,
} from "@merkle/wire/record";
import type { ZippedFiles } from "@merkle/wire/record/zip";
import { deriveId } from "../../core/message.js";
import { listSuccession, toAuditKeyRow } from "../../identity/audit-key/audit-key.js";
import { toSessionSettings } from "../../sessions/session-settings.js";
import { takeSlug } from "../../sessions/slug.js";
import { findSectionTask } from "../../text/tasks.js";
import type { BundledAttachments } from "../../views/hooks.js";
import type { SealServices } from "../seal/feature.js";
import { toHeadRow } from "../seal/feature.js";
import { readLinesOf, readSmallFile } from "./read-file.js";
import type { ImportTarget } from "./refuse-divergent-log.js";
import { readRosterFile } from "./roster-file.js";
import { readStateFile } from "./state-file.js";
import { type Seals, storeFeed } from "./store-feed.js";
import { storeVersions } from "./store-versions.js";

/**
 * Stores a verified bundle in one transaction, with everything that it adds to an earlier import (IMPORT-2).
 */
export async function storeRecord(
  services: SealServices,
  bundle: ZippedFiles,
  report: RecordReport,
): Promise<Omit<ImportResult, "page">> {
  const { database } = services;
  const manifest = parseManifest(await readSmallFile(bundle, bundleFiles.manifest));
  const attachments = toAttachments(bundle);
  try {
    if (attachments.digests.length > 0)
      for (const hook of services.hooks.onImport) await hook.storeFiles?.(services, attachments);
    const { imported, isNew, bytes } = await database.transaction((tx) =>
      store(services, tx, bundle, { manifest, digests: attachments.digests }),
    );
    const { session_id, size, document_version } = imported;
    services.quotas.add(database.meshId, "messages", imported.added);
    services.quotas.add(database.meshId, "bytes", bytes);
    services.mesh.announce("sessions", session_id);
    if (!isNew && imported.added > 0) {
      services.channels.find(session_id)?.hint(size);
      services.channels.announceChange(session_id, "document", document_version);
    }
    return { ...imported, root: report.root };
  } catch (error) {
    if (isDataError(error)) throw notStorable(error);
    throw error;
  }
}

async function store(
  services: SealServices,
  tx: Transaction,
  bundle: ZippedFiles,
  { manifest, digests }: { readonly manifest: Manifest; readonly digests: readonly string[] },
): Promise<{ imported: Omit<ImportResult, "root" | "page">; isNew: boolean; bytes: number }> {
  const { meshId } = services.database;
  const { session_id: recordId, title, closed_at } = manifest.session;
  const keys = parseKeys(await readSmallFile(bundle, bundleFiles.keys));
  const record = {
    recordId,
    originKey: listSuccession(keys, manifest.head.key_id).at(-1) ?? manifest.head.key_id,
  };
  await holdImport(tx, meshId, recordId);
  const existing = await findImported(tx, meshId, record);
  if (!existing && (await findSession(tx, meshId, recordId))) throw originalExists(services, manifest);
  const added = measureAdded(bundle, manifest, existing);
  await services.quotas.requireRoom(meshId, ["messages", "bytes"], added);
  const session = existing ?? (await beginImport(services, tx, bundle, { manifest, record }));
  const target: ImportTarget = { tx, recordId, ...session };
  const closedAt = new Date(closed_at ?? manifest.exported_at);
  const longer = compareLength(manifest, session);

  const { seals, ...end } = await storeFeed(services, bundle, target);
  await storeVersions(services, bundle, target);
  if (longer > 0 || !existing) {
    await storeHeads(bundle, manifest, { ...target, seals });
    if (end.lastSequence >= session.size)
      await finishImportedFeed(tx, session.sessionId, { ...end, closedAt });
    await insertImportedTeams(tx, session.sessionId, await readRosterFile(bundle, closedAt));
    for (const hook of services.hooks.onImport)
      await hook.store(tx, { sessionId: session.sessionId, meshId, after: session.size, digests });
    await replaceImportedState(tx, session.sessionId, await readStateFile(bundle, manifest.version));
    await finishImportedDocument(tx, session.sessionId, await readConclusion(services, bundle, manifest));
  }
  // Imports by older versions did not keep the original files. Importing the same bundle again adds them.
  const hasFiles = (await listImportFiles(tx, session.sessionId)).length > 0;
  if (longer > 0 || (longer === 0 && !hasFiles))
    await storeFiles(tx, bundle, { sessionId: session.sessionId, manifest });
  return {
    isNew: !existing,
    bytes: added.bytes,
    imported: {
      session_id: session.sessionId,
      slug: session.slug,
      title,
      record_id: recordId,
      key_id: manifest.head.key_id,
      size: Math.max(manifest.size, session.size),
      document_version: Math.max(manifest.document_version, session.documentVersion),
      added: Math.max(0, manifest.size - session.size),
    },
  };
}

/** Returns the files of messages in a verified bundle, which have the bytes that their names say. */
function toAttachments(bundle: ZippedFiles): BundledAttachments {
  return {
    digests: bundle.names.map(findAttachmentDigest).filter((digest) => digest !== null),
    open(digest) {
      const name = toAttachmentName(digest);
      return { size: bundle.measure(name), bytes: bundle.open(name) ?? emptyStream() };
    },
  };
}

/** Returns how much of its mesh's quotas an import uses: zero if the bundle contains nothing new. */
function measureAdded(
  { unpackedBytes }: ZippedFiles,
  manifest: Manifest,
  existing: ImportedSessionRow | null,
): { readonly messages: number; readonly bytes: number } {
  const messages = Math.max(0, manifest.size - (existing?.size ?? 0));
  const versions = Math.max(0, manifest.document_version - (existing?.documentVersion ?? 0));
  return { messages, bytes: messages + versions > 0 || !existing ? unpackedBytes : 0 };
}

/**
 * Returns 1 if a bundle contains more than the earlier import, 0 if it contains the same, or -1 if it
 * contains less.
 *
 * @throws conflict if one has more messages but the other has more document versions, which cannot happen
 * with the same record
 */
function compareLength(manifest: Manifest, session: ImportedSessionRow): number {
  const messages = Math.sign(manifest.size - session.size);
  const versions = Math.sign(manifest.document_version - session.documentVersion);
  if (messages * versions >= 0) return Math.sign(messages + versions);
  throw new MerkleError(
    "conflict",
    `The bundle has ${manifest.size} messages and ${manifest.document_version} versions, but the earlier import has ${session.size} and ${session.documentVersion}, so neither continues the other. Nothing was imported.`,
    { session_id: session.sessionId },
  );
}

/**
 * Stores the bundle files that cannot be derived from messages and document versions, byte for byte
 * (IMPORT-4).
 */
async function storeFiles(
  tx: Transaction,
  bundle: ZippedFiles,
  { sessionId, manifest }: { readonly sessionId: string; readonly manifest: Manifest },
): Promise<void> {
  const derived: readonly string[] = [bundleFiles.feed, bundleFiles.versions, bundleFiles.document];
  for (const name of bundleFileNames(manifest.version).filter((each) => !derived.includes(each))) {
    await saveImportFile(tx, { sessionId, name }, bundle.open(name) ?? emptyStream());
  }
}

async function* emptyStream(): AsyncGenerator<Uint8Array> {}

/**
 * Creates the session for an import. Its id is derived from the mesh, the record and the record's key, so
 * importing again after a restore gives the same id.
 */
async function beginImport(
  { database: { meshId } }: SealServices,
  tx: Transaction,
  bundle: ZippedFiles,
  {
    manifest: { session, exported_at },
    record,
  }: {
    readonly manifest: Manifest;
    readonly record: { readonly recordId: string; readonly originKey: string };
  },
): Promise<ImportedSessionRow> {
  const { recordId, originKey } = record;
  const sessionId = deriveId(["import", meshId, recordId, originKey]);
  const slug = await takeSlug(tx, { meshId, sessionId, title: session.slug, wanted: undefined });
  const [convener] = await readRosterFile(bundle, new Date(exported_at));
  await insertImport(tx, {
    sessionId,
    meshId,
    ...record,
    slug,
    title: session.title,
    description: session.description,
    createdByTeamId: convener?.team_id ?? recordId,
    settings: toSessionSettings(undefined),
    createdAt: new Date(session.created_at),
    closedAt: new Date(session.closed_at ?? exported_at),
  });
  return { sessionId, slug, size: 0, documentVersion: 0 };
}

/** Returns the text that is shown for a concluded session in lists. */
async function readConclusion(
  { workers }: SealServices,
  bundle: ZippedFiles,
  { session }: Manifest,
): Promise<string | null> {
  if (session.closed_at === null) return null;
  const content = await readSmallFile(bundle, bundleFiles.document);
  const section = await workers.run(findSectionTask, { content, heading: "## Conclusion" });
  return "text" in section ? section.text : null;
}

function originalExists({ signer }: SealServices, { head }: Manifest): MerkleError {
  const isOurs = signer.keys.some(({ key_id }) => key_id === head.key_id);
  return new MerkleError(
    "conflict",
    isOurs
      ? "This mesh has the original session, and the bundle is a copy of it. Nothing was imported. Import it into another mesh, or verify the file."
      : `This mesh has a session with the same id, but the bundle is signed with the key ${head.key_id}, which never belonged to this broker. Nothing was imported.`,
    { session_id: head.session_id },
  );
}

function notStorable(cause: unknown): MerkleError {
  return new MerkleError(
    "bad_request",
    "The bundle verifies, but this broker cannot store it: a name or text is too long, or a number is out of order. Nothing was imported.",
    {},
    { cause },
  );
}

/**
 * Stores the heads signed at the origin and the keys that signed them. These heads also prove this copy of
 * the record.
 */
async function storeHeads(
  bundle: ZippedFiles,
  manifest: Manifest,
  { tx, sessionId, seals }: ImportTarget & { readonly seals: Seals },
): Promise<void> {
  const keys = parseKeys(await readSmallFile(bundle, bundleFiles.keys));
  await keepOriginKeys(tx, sessionId, keys.map(toAuditKeyRow));
  for await (const heads of readLinesOf(bundle, bundleFiles.heads, parseHeadLine)) {
    for (const head of heads) await saveHead(tx, toHeadRow(head, { sessionId, sealed: isSeal(head) }));
  }
  const { head } = manifest;
  await saveHead(tx, toHeadRow(head, { sessionId, sealed: isSeal(head) }));

  function isSeal({ size, document }: SignedHead): boolean {
    return seals.has(`${size}/${document.version}`);
  }
}
