import {
  type ArchiveRow,
  type Database,
  deleteArchive,
  deleteArchivedRows,
  giveUpArchive,
  listUnfinishedArchives,
} from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { Log } from "../../../core/log.js";
import type { Nodes } from "../../../core/nodes.js";
import { retryWhileLost } from "../../../core/retry-while-lost.js";
import { waitWithTimeout } from "../../seal/feature.js";
import type { ObjectStore } from "./object-store.js";

/** The archive storage, and the archiving work in progress on this node. */
export interface Archives {
  /** @throws conflict if no storage is configured */
  requireStore(): ObjectStore;
  /**
   * Runs work that may take longer than a request. A repeated call waits for the same work and gets its
   * result.
   *
   * @throws unavailable while the work is running; conflict while other work on the session is running
   */
  run<Result>(
    what: "archive" | "unarchive",
    sessionId: string,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>;
  /** Deletes the rows of an archived session in batches, once no node reads them. */
  deleteRows(row: ArchiveRow): Promise<void>;
  /** Deletes an abandoned archive's objects. Returns the names of objects that still exist. */
  removeObjects(row: ArchiveRow): Promise<string[]>;
  /**
   * Cleans up archiving work that was interrupted, for example because a node was killed or the storage did
   * not respond.
   */
  finish(): Promise<void>;
  /**
   * Finishes interrupted archiving of one session. Called as part of other archiving work on the same
   * session.
   */
  finishSession(sessionId: string): Promise<void>;
  stop(): Promise<void>;
}

/** The suffixes of the keys of a session's two objects. */
export const endings = { bundle: ".zip", rows: ".rows.gz" } as const;

/**
 * Archiving work on a session. Removed when it succeeds, or once its failure has been reported to a
 * caller.
 */
interface ArchiveRun {
  readonly what: string;
  readonly work: Promise<unknown>;
  hasFailed: boolean;
}

/**
 * If another node archived a session but left rows in the database, this node deletes them after this
 * time.
 */
const leavingMsMax = 60_000;

export function createArchives({
  database,
  nodes,
  store,
  log,
}: {
  readonly database: Pick<Database, "orm" | "transaction" | "epoch">;
  readonly nodes: Pick<Nodes, "id" | "others">;
  readonly store: ObjectStore | null;
  readonly log: Log;
}): Archives {
  const runs = new Map<string, ArchiveRun>();
  const stopping = new AbortController();

  async function deleteRows(row: ArchiveRow): Promise<void> {
    const deleteSome = () => database.transaction((tx) => deleteArchivedRows(tx, row));
    while (!(await retryWhileLost(deleteSome))) stopping.signal.throwIfAborted();
  }

  async function removeObjects(row: ArchiveRow): Promise<string[]> {
    const keys = Object.values(endings).map((ending) => `${row.object}${ending}`);
    // After a restore from a backup, the objects are not deleted, because the original database may still
    // need them.
    if (row.epoch === database.epoch) {
      if (!store) return keys;
      try {
        for (const key of keys) await store.delete(key, stopping.signal);
      } catch (error) {
        log.warn("objects of an archive could not be deleted; this is tried again within the hour", {
          keys,
          error,
        });
        return keys.map(store.toUrl);
      }
    }
    await deleteArchive(database.orm, row);
    return row.epoch === database.epoch ? [] : keys;
  }

  async function finishOne(row: ArchiveRow): Promise<void> {
    const { state, nodeId, archivedAt } = row;
    if (state === "leaving") {
      if (Date.now() - (archivedAt?.getTime() ?? 0) > leavingMsMax) await deleteRows(row);
    } else if (state === "removing" || !nodes.others.has(nodeId)) {
      if (await giveUpArchive(database.orm, row)) await removeObjects(row);
    }
  }

  return {
    requireStore() {
      if (store) return store;
      throw new MerkleError(
        "conflict",
        "This broker has no archive. Start it with MERKLE_ARCHIVE_URL=s3://bucket/prefix?region=…&endpoint=https://…, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
      );
    },
    async run<Result>(
      what: "archive" | "unarchive",
      sessionId: string,
      begin: (signal: AbortSignal) => Promise<Result>,
    ): Promise<Result> {
      const existing = runs.get(sessionId);
      if (existing && existing.what !== what && !existing.hasFailed) throw sessionBusy(existing.what);
      const current = existing?.what === what ? existing : start();
      try {
        // Work of the same kind on the same session always has the same result type.
        return await waitWithTimeout(current.work as Promise<Result>, () => stillRunning(what));
      } finally {
        if (current.hasFailed && runs.get(sessionId) === current) runs.delete(sessionId);
      }

      function start(): ArchiveRun {
        const run: ArchiveRun = { what, work: begin(stopping.signal), hasFailed: false };
        runs.set(sessionId, run);
        run.work.then(
          () => runs.delete(sessionId),
          () => {
            run.hasFailed = true;
          },
        );
        return run;
      }
    },
    deleteRows,
    removeObjects,
    async finish() {
      for (const row of await listUnfinishedArchives(database.orm)) {
        if (runs.get(row.sessionId)?.hasFailed !== false) await finishOne(row);
      }
    },
    async finishSession(sessionId) {
      for (const row of await listUnfinishedArchives(database.orm, sessionId)) await finishOne(row);
    },
    async stop() {
      stopping.abort(new MerkleError("unavailable", "The broker is stopping.", { outcome: "none" }));
      await Promise.allSettled([...runs.values()].map(({ work }) => work));
    },
  };
}

function stillRunning(what: "archive" | "unarchive"): MerkleError {
  const message =
    what === "archive"
      ? "The session is still being archived. Long sessions take a while. Try again in a moment."
      : "The session is still being restored from the archive. Long sessions take a while. Try again in a moment.";
  return new MerkleError("unavailable", message, { outcome: "unknown", retry_after_s: 2 });
}

function sessionBusy(what: string): MerkleError {
  return new MerkleError(
    "conflict",
    `This session is being ${what}d by another call. Wait until that has finished, then try again.`,
  );
}
