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
import { patiently } from "../../seal/feature.js";
import type { ObjectStore } from "./object-store.js";

/** The archive's storage, and what is under way with it at this node. */
export interface Archives {
  /** @throws conflict where none is configured */
  requireStore(): ObjectStore;
  /**
   * Does what may take longer than an answer: whoever asks again meanwhile waits for the same work, and is told how it ended.
   *
   * @throws unavailable while it goes on; conflict while other work on the session does
   */
  run<Result>(
    what: "archive" | "unarchive",
    sessionId: string,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>;
  /** Deletes the rows of an archived session, some at a time: they are read by nobody any more. */
  deleteRows(row: ArchiveRow): Promise<void>;
  /** Deletes objects that were given up, and returns the names of those that are still there. */
  removeObjects(row: ArchiveRow): Promise<string[]>;
  /** Ends what a node that was killed, or a storage that did not answer, has left. */
  finish(): Promise<void>;
  /** The same of one session, by the work on it that is under way here. */
  finishOf(sessionId: string): Promise<void>;
  stop(): Promise<void>;
}

/** The endings of the keys of a session's two objects. */
export const endings = { bundle: ".zip", rows: ".rows.gz" } as const;

/** Work on a session, from its begin until it was done, or somebody was told that it failed. */
interface UnderWay {
  readonly what: string;
  readonly work: Promise<unknown>;
  failed: boolean;
}

/** So long after it was archived at another node a session's rows are taken for left behind. */
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
  const underWay = new Map<string, UnderWay>();
  const stopping = new AbortController();

  async function deleteRows(row: ArchiveRow): Promise<void> {
    const deleteSome = () => database.transaction((tx) => deleteArchivedRows(tx, row));
    while (!(await retryWhileLost(deleteSome))) stopping.signal.throwIfAborted();
  }

  async function removeObjects(row: ArchiveRow): Promise<string[]> {
    const keys = Object.values(endings).map((ending) => `${row.object}${ending}`);
    // A database that was restored from a backup leaves the objects to the one that it is a copy of, which may need them.
    if (row.epoch === database.epoch) {
      if (!store) return keys;
      try {
        for (const key of keys) await store.delete(key, stopping.signal);
      } catch (error) {
        log.warn("objects of an archive could not be deleted; this is tried again within the hour", {
          keys,
          error,
        });
        return keys.map(store.nameOf);
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
      const known = underWay.get(sessionId);
      if (known && known.what !== what && !known.failed) throw isBusy(known.what);
      const each = known?.what === what ? known : start();
      try {
        // The same work on the same session gives the same kind of result.
        return await patiently(each.work as Promise<Result>, () => goesOn(what));
      } finally {
        if (each.failed && underWay.get(sessionId) === each) underWay.delete(sessionId);
      }

      function start(): UnderWay {
        const begun: UnderWay = { what, work: begin(stopping.signal), failed: false };
        underWay.set(sessionId, begun);
        begun.work.then(
          () => underWay.delete(sessionId),
          () => {
            begun.failed = true;
          },
        );
        return begun;
      }
    },
    deleteRows,
    removeObjects,
    async finish() {
      for (const row of await listUnfinishedArchives(database.orm)) {
        if (underWay.get(row.sessionId)?.failed !== false) await finishOne(row);
      }
    },
    async finishOf(sessionId) {
      for (const row of await listUnfinishedArchives(database.orm, sessionId)) await finishOne(row);
    },
    async stop() {
      stopping.abort(new MerkleError("unavailable", "The broker is stopping.", { outcome: "none" }));
      await Promise.allSettled([...underWay.values()].map(({ work }) => work));
    },
  };
}

function goesOn(what: "archive" | "unarchive"): MerkleError {
  const message =
    what === "archive"
      ? "The session is still being archived. Long sessions take a while. Try again in a moment."
      : "The session is still being restored from the archive. Long sessions take a while. Try again in a moment.";
  return new MerkleError("unavailable", message, { outcome: "unknown", retry_after_s: 2 });
}

function isBusy(what: string): MerkleError {
  return new MerkleError(
    "conflict",
    `This session is being ${what}d by another call. Wait until that has finished, then try again.`,
  );
}
