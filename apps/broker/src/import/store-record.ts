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
  replaceImportedState,
  type Transaction,
} from "@merkle/db";
import { type Imported, MerkleError } from "@merkle/wire";
import { bundleFiles, type Manifest, parseManifest, type RecordReport } from "@merkle/wire/record";
import type { ZippedFiles } from "@merkle/wire/record/zip";
import type { Services } from "../context.js";
import { idFrom } from "../feed/message.js";
import { takeSlug } from "../sessions/slug.js";
import { toSessionSettings } from "../settings/get-settings.js";
import { readSmallFile } from "./read-file.js";
import { readRosterFile } from "./roster-file.js";
import { readStateFile } from "./state-file.js";
import { storeFeed } from "./store-feed.js";
import { storeHeads } from "./store-heads.js";
import { storeVersions } from "./store-versions.js";

/** Where a record is stored, and how much of it is there already. */
export interface Target {
  readonly tx: Transaction;
  readonly sessionId: string;
  readonly recordId: string;
  readonly size: number;
  readonly documentVersion: number;
}

/** Writes a bundle that was verified, in one transaction (IMPORT-2), with all that it adds to what is here of it. */
export async function storeRecord(
  services: Services,
  bundle: ZippedFiles,
  report: RecordReport,
): Promise<Imported> {
  const { database } = services;
  const manifest = parseManifest(await readSmallFile(bundle, bundleFiles.manifest));
  try {
    const { imported, isNew } = await database.transaction((tx) => store(services, tx, bundle, manifest));
    const { session_id, size, document_version } = imported;
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
  services: Services,
  tx: Transaction,
  bundle: ZippedFiles,
  manifest: Manifest,
): Promise<{ imported: Omit<Imported, "root">; isNew: boolean }> {
  const { meshId } = services.database;
  const { session_id: recordId, title, closed_at } = manifest.session;
  await holdImport(tx, meshId, recordId);
  const known = await findImported(tx, meshId, recordId);
  if (!known && (await findSession(tx, meshId, recordId))) throw livesHere(recordId);
  const place = known ?? (await begin(services, tx, bundle, manifest));
  const target: Target = { tx, recordId, ...place };
  const closedAt = new Date(closed_at ?? manifest.exported_at);

  const { seals, ...end } = await storeFeed(services, bundle, target);
  await storeVersions(services, bundle, target);
  await storeHeads(bundle, manifest, { ...target, seals });
  const isLater = manifest.size > place.size || manifest.document_version > place.documentVersion;
  if (isLater || !known) {
    if (end.lastSequence >= place.size) await finishImportedFeed(tx, place.sessionId, { ...end, closedAt });
    await insertImportedTeams(tx, place.sessionId, await readRosterFile(bundle, closedAt));
    await replaceImportedState(tx, place.sessionId, await readStateFile(bundle));
    await finishImportedDocument(tx, place.sessionId, await readConclusion(services, bundle, manifest));
  }
  return {
    isNew: !known,
    imported: {
      session_id: place.sessionId,
      slug: place.slug,
      title,
      record_id: recordId,
      size: Math.max(manifest.size, place.size),
      document_version: Math.max(manifest.document_version, place.documentVersion),
      added: Math.max(0, manifest.size - place.size),
    },
  };
}

/** Stores the session itself. Its id follows from the mesh and the record, so that it is the same after a restore, too. */
async function begin(
  { database: { meshId } }: Services,
  tx: Transaction,
  bundle: ZippedFiles,
  { session, exported_at }: Manifest,
): Promise<ImportedSessionRow> {
  const recordId = session.session_id;
  const sessionId = idFrom(["import", meshId, recordId]);
  const slug = await takeSlug(tx, { meshId, sessionId, title: session.slug, wanted: undefined });
  const [convener] = await readRosterFile(bundle, new Date(exported_at));
  await insertImport(tx, {
    sessionId,
    meshId,
    recordId,
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

/** How lists begin to tell of a concluded session. */
async function readConclusion(
  { workers }: Services,
  bundle: ZippedFiles,
  { session }: Manifest,
): Promise<string | null> {
  if (session.closed_at === null) return null;
  const content = await readSmallFile(bundle, bundleFiles.document);
  const section = await workers.run("find_section", { content, heading: "## Conclusion" });
  return "text" in section ? section.text : null;
}

function livesHere(recordId: string): MerkleError {
  return new MerkleError(
    "conflict",
    "This mesh has the session itself, of which the bundle is a copy. Import it into another mesh, or verify it as it is.",
    { session_id: recordId },
  );
}

function notStorable(cause: unknown): MerkleError {
  return new MerkleError(
    "bad_request",
    "The bundle verifies, but holds what no session here can hold: a name or a text that is too long, or a number that is out of order. Nothing was imported.",
    {},
    { cause },
  );
}
