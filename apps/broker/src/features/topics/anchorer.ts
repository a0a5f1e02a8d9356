import {
  type Database,
  findDocumentVersion,
  listUnplacedDocuments,
  readDocument,
  readFeedHeads,
} from "@merkle/db";
import type { Log } from "../../core/log.js";
import { retryWhileLost } from "../../core/retry-while-lost.js";
import type { Workers } from "../../core/workers/workers.js";
import type { DocumentRef } from "../../document/hooks.js";
import type { MeshChannels } from "../../feed/delivery/mesh-channel.js";
import { placeTopics } from "./place-topics.js";

/**
 * Finds the places of topics again when a document has changed. Nobody waits for it: who reads a place is told of which
 * version it is (ANCHOR-6).
 */
export interface Anchorer {
  /** Says that a document may have changed. One is looked through at a time, and each once for any number of hints. */
  schedule(document: DocumentRef): void;
  /** Goes on with the documents that nobody has looked through since they changed. */
  catchUp(): Promise<void>;
  /** Resolves when nothing that was hinted at is left. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts with the documents that changed while no anchorer ran. */
export function startAnchorer(options: {
  readonly database: Database;
  readonly workers: Workers;
  readonly meshChannels: Pick<MeshChannels, "in">;
  readonly log: Log;
}): Anchorer {
  const { database, log } = options;
  const waiting = new Map<string, DocumentRef>();
  let stopped = false;
  let running: Promise<void> | null = null;

  function run(): void {
    running ??= goOn().finally(() => {
      running = null;
      if (waiting.size > 0 && !stopped) run();
    });
  }

  async function goOn(): Promise<void> {
    for (const [key, document] of waiting) {
      if (stopped) return;
      waiting.delete(key);
      try {
        await retryWhileLost(() => place(options, document));
      } catch (error) {
        // The next hint tries again, and so does the next start; until then places are of an older version, and say so.
        if (!stopped)
          log.warn("finding places of topics again failed", { session_id: document.sessionId, error });
      }
    }
  }

  function schedule(document: DocumentRef): void {
    if (stopped) return;
    waiting.set(`${document.meshId} ${document.sessionId}`, document);
    run();
  }

  async function scheduleAll(): Promise<void> {
    try {
      for (const document of await listUnplacedDocuments(database.orm)) schedule(document);
    } catch (error) {
      if (!stopped) log.warn("looking for topics without a place failed", { error });
    }
  }

  void scheduleAll();
  return {
    schedule,
    catchUp: scheduleAll,
    async idle() {
      while (running !== null) await running;
    },
    async stop() {
      stopped = true;
      waiting.clear();
      await running;
    },
  };
}

async function place(
  { database, workers, meshChannels }: Parameters<typeof startAnchorer>[0],
  { meshId, sessionId }: DocumentRef,
): Promise<void> {
  const { orm } = database;
  const current = await readDocument(orm, sessionId);
  const [feed] = await readFeedHeads(orm, [sessionId]);
  // The versions that they were opened at are in the archive: they are placed when those are back.
  if (!current || feed?.archivedAt) return;
  const placed = await placeTopics({ database, workers }, meshId, {
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
  if (placed > 0) meshChannels.in(meshId).announce("topics", sessionId);
}
