import type { Transaction } from "@merkle/db";
import type { SystemEvent } from "@merkle/wire";
import type { Write } from "../core/write.js";
import type { SessionHooks } from "../sessions/hooks.js";

/** What features add to a session's document and to its end. */
export interface DocumentHooks<Services> extends SessionHooks {
  readonly onDocumentWritten: readonly DocumentHook<Services>[];
  readonly onConclude: readonly ConcludeHook<Services>[];
}

/** A session's document. */
export interface DocumentRef {
  readonly meshId: string;
  readonly sessionId: string;
}

/** What follows from a document's text. */
export interface DocumentHook<Services> {
  /** Called after the document was written; nobody waits for it. */
  written(services: Services, document: DocumentRef): void;
}

/** The part of a feature in the conclusion of a session. */
export interface ConcludeHook<Services> {
  /** Does what takes long, before the transaction begins. */
  prepare?(services: Services, sessionId: string): Promise<void>;
  /** Takes the locks that must be held before the document's. */
  hold?(services: Services, tx: Transaction, sessionId: string): Promise<void>;
  /** Called in the transaction, after the feed was closed. Returns the head, if it sealed the session. */
  conclude?(
    services: Services,
    write: Pick<Write, "tx" | "afterCommit">,
    concluded: ConcludedSession,
  ): Promise<SealedHead | undefined>;
}

export interface ConcludedSession {
  readonly sessionId: string;
  /** The name of the team that concluded it. */
  readonly by: string;
  readonly at: Date;
}

export type SealedHead = NonNullable<Extract<SystemEvent, { event: "session_concluded" }>["head"]>;
