import {
  type ArchiveRow,
  endArchive,
  findArchive,
  listUnfinishedArchives,
  lockArchive,
  readRecordExtent,
} from "@merkle/db";
import { MerkleError, type OutputOf } from "@merkle/wire";
import type { SessionContext } from "../../sessions/context.js";
import { holdForTexts } from "../../views/hooks.js";
import { spoolBytes } from "../import/feature.js";
import { requireArchivist } from "./archive-session.js";
import type { ArchiveServices } from "./services.js";
import { endings } from "./storage/archives.js";
import { restoreRows } from "./stored-rows.js";

type UnarchiveSessionOutput = OutputOf<"unarchive_session">;

/**
 * Restores the rows of an archived session unchanged, then deletes the objects, so that text redacted later
 * does not survive in a copy (ARCHIVE-7). Objects must match the size and hash in the database. A session
 * that is not archived stays unchanged.
 *
 * @throws conflict, without changing anything, if objects are missing or changed, or if no storage is
 *   configured
 */
export async function unarchiveSession(
  ctx: SessionContext<ArchiveServices>,
): Promise<UnarchiveSessionOutput> {
  const { services, session } = ctx;
  requireArchivist(ctx);
  const { sessionId } = session;
  const row = await findArchive(services.database.orm, sessionId);
  if (!row) return toOutput(services, sessionId);
  services.archives.requireStore();
  return services.archives.run("unarchive", sessionId, async (signal) => {
    await restoreSession(services, row, signal);
    return toOutput(services, sessionId);
  });
}

async function restoreSession(
  services: ArchiveServices,
  row: ArchiveRow,
  signal: AbortSignal,
): Promise<void> {
  const { database, archives, home, log, sessions, channels } = services;
  const { sessionId, object } = row;
  const store = archives.requireStore();
  const key = `${object}${endings.rows}`;
  const file = await spoolBytes(await store.get(key, signal), home, signal);
  try {
    if (file.size !== row.rowsBytes || !file.sha256.equals(row.rowsSha256 ?? Buffer.alloc(0)))
      throw storedFileChanged(store.toUrl(key));
    // A killed node may have left some of these rows in the database.
    if (row.state === "leaving") await archives.deleteRows(row);
    await database.transaction(async (tx) => {
      await holdForTexts(tx, services, sessionId);
      if ((await lockArchive(tx, row)) !== "away") return;
      await restoreRows(tx, file.path);
      await endArchive(tx, row);
    });
  } finally {
    await file.remove();
  }
  log.info("a session was restored from the archive", { session: sessionId, object });
  const extent = await readRecordExtent(database.orm, sessionId);
  sessions.invalidate(sessionId);
  channels.announceChange(sessionId, "session", extent?.size ?? 0);
}

/**
 * Returns the operation's output, which lists the objects that could not be deleted. Later replies list these
 * objects until they are deleted.
 */
async function toOutput(services: ArchiveServices, sessionId: string): Promise<UnarchiveSessionOutput> {
  const { database, archives } = services;
  const extent = await readRecordExtent(database.orm, sessionId);
  const remainingKeys: string[] = [];
  for (const row of await listUnfinishedArchives(database.orm, sessionId)) {
    if (row.state === "removing") remainingKeys.push(...(await archives.removeObjects(row)));
  }
  return { session_id: sessionId, messages: extent?.size ?? 0, left: remainingKeys };
}

function storedFileChanged(name: string): MerkleError {
  return new MerkleError(
    "conflict",
    `${name} was changed in the archive's storage: its length or SHA-256 does not match. Nothing was restored. Replace it with an earlier version or a copy.`,
    { object: name },
  );
}
