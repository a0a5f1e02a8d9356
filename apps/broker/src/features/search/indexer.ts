import { setTimeout as delay } from "node:timers/promises";
import {
  type Database,
  holdSearchHeads,
  indexDocument,
  indexMessages,
  listUnindexedDocuments,
  listUnindexedSessions,
} from "@merkle/db";
import type { Log } from "../../core/log.js";
import { cutIntoPieces } from "./cut-into-pieces.js";

/**
 * Reads messages and documents into the index that searches ask. Nobody waits for it but who searches: posting and writing
 * leave no work behind, and where nobody ever searches nothing is done (SEARCH-5).
 */
export interface Indexer {
  /**
   * Indexes what is missing, and says whether that is all. What was posted before the call is found after it. What is more
   * than one call should wait for is indexed in the background, in small steps.
   */
  catchUp(): Promise<boolean>;
  stop(): Promise<void>;
}

/** One step is one transaction, of about a tenth of a second; its locks concern none but other steps. */
const step = { sessionsMax: 50, messagesMax: 500, bytesMax: 1024 * 1024, documentsMax: 4 };

const pauseMs = 50;

export function startIndexer(options: {
  readonly database: Pick<Database, "orm" | "transaction">;
  readonly log: Log;
  /** How many messages one call indexes at most, */
  readonly messagesMax?: number;
  /** and for how long it goes on. */
  readonly catchUpMs?: number;
}): Indexer {
  const { database, log, messagesMax = 20_000, catchUpMs = 3_000 } = options;
  const stopping = new AbortController();
  let background: Promise<void> | null = null;

  async function goOn(): Promise<void> {
    try {
      while (!stopping.signal.aborted && (await indexStep(database)) !== null) {
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
        const messages = await indexStep(database);
        if (messages === null) return true;
        indexed += messages;
      }
      if (!stopping.signal.aborted) background ??= goOn();
      return false;
    },
    async stop() {
      stopping.abort();
      await background;
    },
  };
}

/** Indexes some of what is missing, and returns how many messages that were; null when nothing is missing. */
async function indexStep({
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
