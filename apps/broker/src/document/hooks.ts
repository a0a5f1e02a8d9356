import type { Transaction } from "@merkle/db";
import type { SystemEvent } from "@merkle/wire";
import type { Write } from "../core/write.js";
import type { SessionHooks } from "../sessions/hooks.js";

/** The extension points for features in a session's document and its conclusion. */
export interface DocumentHooks<Services> extends SessionHooks {
  readonly onDocumentWritten: readonly DocumentHook<Services>[];
  readonly onConclude: readonly ConcludeHook<Services>[];
}

export interface DocumentRef {
  readonly meshId: string;
  readonly sessionId: string;
}

/** A feature's hook that runs after a new document version is written. */
export interface DocumentHook<Services> {
  /** Called after a document has been written. The writer does not wait for it. */
  onWritten(services: Services, document: DocumentRef): void;
}

/** A feature's hooks that run when a session is concluded. */
export interface ConcludeHook<Services> {
  /** Does slow work before the transaction begins. */
  prepare?(services: Services, sessionId: string): Promise<void>;
  /** Takes the locks that must be taken before the document's lock. */
  hold?(services: Services, tx: Transaction, sessionId: string): Promise<void>;
  /**
   * Called in the transaction, after the feed is closed. Returns the head if this feature sealed the session.
   */
  conclude?(
    services: Services,
    write: Pick<Write, "tx" | "afterCommit">,
    concluded: SessionConclusion,
  ): Promise<SealedHead | undefined>;
}

export interface SessionConclusion {
  readonly sessionId: string;
  /** The name of the team that is concluding the session. */
  readonly by: string;
  readonly at: Date;
}

export type SealedHead = NonNullable<Extract<SystemEvent, { event: "session_concluded" }>["head"]>;
