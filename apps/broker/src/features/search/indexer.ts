import { setTimeout as delay } from "node:timers/promises";
import {
  type Database,
  holdSearchHeads,
  indexDocument,
  indexMessages,
  listUnindexedDocuments,
  listUnindexedSessions,
  refreshWords,
} from "@merkle/db";
import type { Log } from "../../core/log.js";
import { cutIntoPieces } from "./cut-into-pieces.js";

/**
 * Fills the search index with messages and documents. Only searches trigger indexing and wait for it: posting
 * and writing never index, and a mesh that is never searched is never indexed (SEARCH-5). Once nothing is missing, texts
 * that an earlier version indexed are indexed again (SEARCH-12).
 */
export interface Indexer {
  /**
   * Indexes missing entries. Returns true if the index is then complete, so that anything posted before the
   * call can be found. If one call would take too long, the rest is indexed in the background in small
   * steps.
   */
  catchUp(): Promise<boolean>;
  stop(): Promise<void>;
}

/**
 * Limits of one step, which is a transaction of about a tenth of a second. Its locks block only other
 * indexing steps.
 */
const step = {
  sessionsMax: 50,
  messagesMax: 500,
  bytesMax: 1024 * 1024,
  documentsMax: 4,
  refreshedMax: 500,
};

const pauseMs = 50;

export function startIndexer(options: {
  readonly database: Pick<Database, "orm" | "transaction">;
  readonly log: Log;
  /** Maximum number of messages that one call indexes. Default: 20,000. */
  readonly messagesMax?: number;
  /** Maximum duration of one call, in milliseconds. Default: 3,000. */
  readonly catchUpMs?: number;
}): Indexer {
  const { database, log, messagesMax = 20_000, catchUpMs = 3_000 } = options;
  const stopping = new AbortController();
  let background: Promise<void> | null = null;
  let isRefreshed = false;

  async function refresh(): Promise<boolean> {
    isRefreshed ||= await database.transaction((tx) => refreshWords(tx, step.refreshedMax));
    return isRefreshed;
  }

  async function indexInBackground(): Promise<void> {
    try {
      while (!stopping.signal.aborted && !((await runIndexStep(database)) === null && (await refresh()))) {
        await delay(pauseMs, undefined, { signal: stopping.signal });
      }
    } catch (error) {
      if (!stopping.signal.aborted)
        log.warn("indexing for searches failed; the next search tries again", { error });
    } finally {
      background = null;
    }
  }

  return {
    async catchUp() {
      const until = performance.now() + catchUpMs;
      for (let indexed = 0; indexed < messagesMax && performance.now() < until; ) {
        const messages = await runIndexStep(database);
        if (messages === null) {
          // Once this goes on in the background, searches do not wait for it.
          if (isRefreshed || (background === null && (await refresh()))) return true;
          break;
        }
        indexed += messages;
      }
      if (!stopping.signal.aborted) background ??= indexInBackground();
      return false;
    },
    async stop() {
      stopping.abort();
      await background;
    },
  };
}

/**
 * Indexes one batch of missing entries. Returns the number of messages in the batch, or null if nothing is
 * missing.
 */
async function runIndexStep({
  orm,
  transaction,
}: Pick<Database, "orm" | "transaction">): Promise<number | null> {
  const sessionIds = await listUnindexedSessions(orm, step.sessionsMax);
  if (sessionIds.length === 0) return null;
  return transaction(async (tx) => {
    await holdSearchHeads(tx, sessionIds);
    for (const document of await listUnindexedDocuments(tx, sessionIds, step.documentsMax)) {
      await indexDocument(tx, document, cutIntoPieces(document.content));
    }
    return indexMessages(tx, sessionIds, step);
  });
}
