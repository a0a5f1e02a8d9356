import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  type ArchiveRow,
  findArchive,
  giveUpArchive,
  insertArchive,
  listUnfinishedArchives,
  markArchived,
  type StoredObjects,
} from "@merkle/db";
import { MerkleError, type OutputOf } from "@merkle/wire";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import { adminsOnly } from "../../sessions/access/authorize.js";
import type { SessionContext } from "../../sessions/context.js";
import { holdForTexts } from "../../views/hooks.js";
import { exportSession, openRecord } from "../export/feature.js";
import { type SpooledFile, spoolBytes, verifySpooled } from "../import/feature.js";
import type { ArchiveServices } from "./services.js";
import { endings } from "./storage/archives.js";
import { objectBytesMax } from "./storage/object-store.js";
import { writeStoredRows } from "./stored-rows.js";

type ArchiveSessionOutput = OutputOf<"archive_session">;

/**
 * Time after which every node has stopped reading an archived session's rows. A node that missed the
 * announcement keeps reading them until its next sweep (NODE-3). A request in progress may take a moment
 * longer.
 */
const propagationDelayMs = 6_000;

/**
 * Moves the messages and earlier document versions of a concluded session to the archive's storage (ARCHIVE-2).
 * Reads both stored objects back in full and verifies them before it marks the session as archived. If this
 * fails, nothing has changed. Deletes the rows later, once no node reads them. A session that is already
 * archived stays unchanged.
 *
 * @throws conflict if the session is open or damaged, if it changed during archiving, or if no storage is
 * configured
 */
export async function archiveSession(ctx: SessionContext<ArchiveServices>): Promise<ArchiveSessionOutput> {
  const { services, session } = ctx;
  requireArchivist(ctx);
  const existing = await findArchive(services.database.orm, session.sessionId);
  if (existing?.state === "away") return toOutput(existing);
  const store = services.archives.requireStore();
  if (!session.isClosed) throw notConcluded(session);
  return services.archives.run("archive", session.sessionId, async (signal) => {
    const row = existing ?? (await storeSession(ctx, store, signal));
    await settleAndDelete(services, row, signal);
    return toOutput(row);
  });
}

/**
 * Allows only the people responsible for the session's record: admins, the session's convener and, in open
 * mode, any verified human (the operation's access rules exclude all others).
 *
 * @throws forbidden
 */
export function requireArchivist({ principal, team, session }: SessionContext<ArchiveServices>): void {
  if (principal?.kind !== "member" || principal.role === "admin") return;
  if (team?.teamId !== session.createdByTeamId) throw adminsOnly("archive_session");
}

async function storeSession(
  { services, session, person, principal }: SessionContext<ArchiveServices>,
  store: ReturnType<ArchiveServices["archives"]["requireStore"]>,
  signal: AbortSignal,
): Promise<ArchiveRow> {
  const { database, archives, nodes, home, log } = services;
  const { sessionId, slug } = session;
  await archives.finishSession(sessionId);
  await refuseConcurrentArchive(services, sessionId);
  const object = `${slug}/${randomUUID()}`;
  const key = { sessionId, object };
  await insertArchive(database.orm, { ...key, nodeId: nodes.id, epoch: database.epoch });
  try {
    const record = await openRecord(services, session, "bundle");
    const bundle = await storeFile(
      `${object}${endings.bundle}`,
      () => exportSession(services, { session, recorded: record }, "bundle", null).bytes,
    );
    const rows = await storeFile(`${object}${endings.rows}`, () => writeStoredRows(database, sessionId));
    await readBack(`${object}${endings.bundle}`, bundle, async (file) => {
      const report = await verifySpooled(file, { services, signal });
      if ("unreadable" in report || !report.ok) throw damagedRecord(session, report);
    });
    await readBack(`${object}${endings.rows}`, rows);
    const objects: StoredObjects = {
      ...{
        bundleBytes: bundle.bytes,
        bundleSha256: bundle.sha256,
        rowsBytes: rows.bytes,
        rowsSha256: rows.sha256,
      },
      archivedBy: person?.name ?? (principal?.kind === "member" ? principal.name : "an admin"),
      archivedAt: new Date(),
    };
    const isArchived = await retryWhileLost(() =>
      database.transaction(async (tx) => {
        await holdForTexts(tx, services, sessionId);
        return markArchived(tx, key, record, objects);
      }),
    );
    if (!isArchived) throw changedMeanwhile(session);
    log.info("a session was archived", { session: slug, object, by: objects.archivedBy });
    return { ...key, ...objects, state: "leaving", nodeId: nodes.id, epoch: database.epoch };
  } catch (error) {
    await abandon(services, key);
    throw error;
  }

  async function storeFile(name: string, make: () => AsyncIterable<Uint8Array>): Promise<StoredFile> {
    const file = await spoolBytes(make(), home, signal);
    try {
      if (file.size > objectBytesMax) throw tooLarge(session, file.size);
      await store.put(name, file, signal);
      return { bytes: file.size, sha256: file.sha256 };
    } finally {
      await file.remove();
    }
  }

  /**
   * Reads the stored objects back and verifies them, because the storage's confirmation of the upload does
   * not prove that they are intact.
   */
  async function readBack(
    name: string,
    { bytes, sha256 }: StoredFile,
    verify?: (file: SpooledFile) => Promise<void>,
  ): Promise<void> {
    const file = await spoolBytes(await store.get(name, signal), home, signal);
    try {
      if (file.size !== bytes || !file.sha256.equals(sha256)) throw notAsStored(store.toUrl(name));
      await verify?.(file);
    } finally {
      await file.remove();
    }
  }
}

interface StoredFile {
  readonly bytes: number;
  readonly sha256: Buffer;
}

/**
 * Avoids duplicate work if another node is already archiving the session. Without this check, both nodes
 * would store the archive, but only the first to mark the session would succeed.
 */
async function refuseConcurrentArchive(
  { database, nodes }: ArchiveServices,
  sessionId: string,
): Promise<void> {
  const others = await listUnfinishedArchives(database.orm, sessionId);
  if (!others.some(({ state, nodeId }) => state === "storing" && nodes.others.has(nodeId))) return;
  throw new MerkleError(
    "unavailable",
    "The session is being archived on another node. Try again in a moment.",
    { outcome: "none", retry_after_s: 5 },
  );
}

/** Deletes the rows after all nodes know about the archive and earlier requests have ended. */
async function settleAndDelete(
  services: ArchiveServices,
  row: ArchiveRow,
  signal: AbortSignal,
): Promise<void> {
  const { sessions, channels, nodes, archives, log } = services;
  const { sessionId } = row;
  sessions.invalidate(sessionId);
  channels.announceChange(sessionId, "session", 0);
  if (row.state !== "leaving") return;
  try {
    if (!nodes.isAlone) await delay(propagationDelayMs, undefined, { signal });
    await archives.deleteRows(row);
  } catch (error) {
    // The session counts as archived even if its rows remain for now.
    log.warn("the rows of an archived session could not be deleted; this is tried again within the hour", {
      error,
    });
  }
}

async function abandon(
  services: ArchiveServices,
  key: Pick<ArchiveRow, "sessionId" | "object">,
): Promise<void> {
  const { database, archives, log } = services;
  try {
    // If the reply to the commit was lost, the session may already be marked as archived. Its objects are
    // then kept.
    if (await giveUpArchive(database.orm, key)) await archives.finishSession(key.sessionId);
  } catch (error) {
    log.warn(
      "files of a failed attempt to archive could not be removed; this is tried again within the hour",
      {
        error,
      },
    );
  }
}

/** Converts the row of a completed archive to the operation's output. */
function toOutput(row: ArchiveRow): ArchiveSessionOutput {
  const { sessionId, object, archivedAt, archivedBy } = row;
  const toObject = (ending: string, bytes: number | null, sha256: Uint8Array | null) => ({
    key: `${object}${ending}`,
    bytes: bytes ?? 0,
    sha256: Buffer.from(sha256 ?? []).toString("hex"),
  });
  return {
    session_id: sessionId,
    archived_at: (archivedAt ?? new Date(0)).toISOString(),
    archived_by: archivedBy ?? "",
    bundle: toObject(endings.bundle, row.bundleBytes, row.bundleSha256),
    rows: toObject(endings.rows, row.rowsBytes, row.rowsSha256),
  };
}

function notConcluded({ slug }: SessionIdentity): MerkleError {
  return new MerkleError(
    "conflict",
    `The session "${slug}" is open, and only concluded sessions can be archived. Conclude it first: merkle conclude ${slug}`,
  );
}

/**
 * Returns the error for a damaged record. Such a record would prove nothing later, so it stays in the database,
 * where it can be examined.
 */
function damagedRecord(
  { slug }: SessionIdentity,
  report: Awaited<ReturnType<typeof verifySpooled>>,
): MerkleError {
  const why = "unreadable" in report ? report.unreadable : (report.findings[0]?.message ?? "");
  return new MerkleError(
    "conflict",
    `The record of "${slug}" does not verify, so the session was not archived. ${why}`.trimEnd(),
  );
}

function changedMeanwhile({ slug }: SessionIdentity): MerkleError {
  return new MerkleError(
    "conflict",
    `The record of "${slug}" changed during archiving, so the session was not archived. Try again.`,
  );
}

function tooLarge({ slug }: SessionIdentity, bytes: number): MerkleError {
  return new MerkleError(
    "payload_too_large",
    `"${slug}" was not archived: one of its files has ${bytes} bytes, and the limit is ${objectBytesMax}.`,
    { bytes_max: objectBytesMax, bytes },
  );
}

function notAsStored(name: string): MerkleError {
  return new MerkleError(
    "unavailable",
    `The archive's storage returned ${name} with different contents than were sent, so the session was not archived. Check the storage, then try again.`,
    { outcome: "none" },
  );
}
