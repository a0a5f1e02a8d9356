import {
  type Database,
  findDocumentVersion,
  listDocumentsToReanchor,
  readDocument,
  readFeedHeads,
} from "@merkle/db";
import type { Log } from "../../core/log.js";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import type { WorkerPool } from "../../core/workers/workers.js";
import type { DocumentRef } from "../../document/hooks.js";
import type { MeshChannels } from "../../feed/delivery/mesh-channel.js";
import { placeTopics } from "./place-topics.js";

/**
 * Updates the positions of topics after their document has changed. No caller waits for the update: each
 * position is returned with the document version that it belongs to (ANCHOR-6).
 */
export interface AnchorUpdater {
  /**
   * Schedules a document that may have changed. Documents are processed one at a time, and repeated hints for
   * a document are merged.
   */
  schedule(document: DocumentRef): void;
  /** Processes the documents that have changed since the positions of their topics were last updated. */
  catchUp(): Promise<void>;
  /** Resolves when all scheduled documents are processed. */
  waitUntilIdle(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an anchorer. It first processes the documents that changed while no anchorer was running. */
export function startAnchorer(options: {
  readonly database: Database;
  readonly workers: WorkerPool;
  readonly meshChannels: Pick<MeshChannels, "get">;
  readonly log: Log;
}): AnchorUpdater {
  const { database, log } = options;
  const waiting = new Map<string, DocumentRef>();
  let isStopped = false;
  let running: Promise<void> | null = null;

  function run(): void {
    running ??= processWaiting().finally(() => {
      running = null;
      if (waiting.size > 0 && !isStopped) run();
    });
  }

  async function processWaiting(): Promise<void> {
    for (const [key, document] of waiting) {
      if (isStopped) return;
      waiting.delete(key);
      try {
        await retryWhileLost(() => anchorDocument(options, document));
      } catch (error) {
        // The next hint or start tries again. Until then, positions refer to an older document version.
        if (!isStopped)
          log.warn("finding places of topics again failed", { session_id: document.sessionId, error });
      }
    }
  }

  function schedule(document: DocumentRef): void {
    if (isStopped) return;
    waiting.set(`${document.meshId} ${document.sessionId}`, document);
    run();
  }

  async function scheduleAll(): Promise<void> {
    try {
      for (const document of await listDocumentsToReanchor(database.orm)) schedule(document);
    } catch (error) {
      if (!isStopped) log.warn("looking for topics without a place failed", { error });
    }
  }

  void scheduleAll();
  return {
    schedule,
    catchUp: scheduleAll,
    async waitUntilIdle() {
      while (running !== null) await running;
    },
    async stop() {
      isStopped = true;
      waiting.clear();
      await running;
    },
  };
}

async function anchorDocument(
  { database, workers, meshChannels }: Parameters<typeof startAnchorer>[0],
  { meshId, sessionId }: DocumentRef,
): Promise<void> {
  const { orm } = database;
  const current = await readDocument(orm, sessionId);
  const [feed] = await readFeedHeads(orm, [sessionId]);
  // The document versions at which topics were opened are in the archive. Positions are updated once the
  // session is restored.
  if (!current || feed?.archivedAt) return;
  const placedCount = await placeTopics({ database, workers }, meshId, {
    source: { sessionId, root: null, path: null },
    at: { version: current.version, hash: null },
    text: current.content,
    async readEarlier({ version }) {
      if (version === 0) return "";
      return version === null
        ? null
        : ((await findDocumentVersion(orm, sessionId, version))?.content ?? null);
    },
  });
  if (placedCount > 0) meshChannels.get(meshId).announce("topics", sessionId);
}
