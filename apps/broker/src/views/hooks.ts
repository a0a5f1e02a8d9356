import type { DataSubject, FactScope, PersonText, Queryable, Transaction } from "@merkle/db";
import type { BrokerSettings, SystemEvent } from "@merkle/wire";
import type { CoreServices } from "../core/services.js";
import type { Write } from "../core/write.js";
import type { DocumentHooks } from "../document/hooks.js";
import type { SessionContext, SessionServices } from "../sessions/context.js";
import type { AttentionFact } from "./fact.js";

/** The hooks with which features extend reads and operations across sessions. */
export interface ViewHooks<Services extends SessionServices> extends DocumentHooks<Services> {
  readonly attention: readonly AttentionSource[];
  /** The features' functions that delete expired data, by the name of that data. */
  readonly purge: Readonly<Record<string, Purge>>;
  readonly personData: readonly PersonDataHook<Services>[];
  readonly onRemoveText: readonly TextRemovalHook<Services>[];
  readonly onImport: readonly ImportHook[];
  readonly onExport: readonly ExportHook[];
}

/** Lists a feature's facts that are waiting for a human. */
export interface AttentionSource {
  list(
    services: Pick<CoreServices, "database" | "settings">,
    scope: FactScope,
    request: FactRequest,
  ): Promise<AttentionFact[]>;
}

export interface FactRequest {
  /** The person for whom to list facts. Asks that are addressed only to other people are left out. */
  readonly personId: string | null;
  /**
   * The approvals to include. `own` includes only the person's own approvals. By default none are included,
   * since each approval is for one person.
   */
  readonly approvals?: "own" | "everybody's";
  /** The sessions to include (default: all open sessions). */
  readonly sessionIds?: readonly string[] | undefined;
  /** Whether to include facts about files (default: only if no sessions are named). */
  readonly files?: boolean;
}

/** Deletes expired data in every mesh. Returns the number of deleted rows. */
export type Purge = (db: Queryable, settings: BrokerSettings) => Promise<number>;

/** A feature's hooks for redacting text in a record. */
export interface TextRemovalHook<Services extends SessionServices> {
  /** Takes the locks that must be taken before the locks of the feed and the document. */
  hold?(tx: Transaction, sessionId: string): Promise<void>;
  /**
   * Removes copies of an event's text that the feature has stored.
   *
   * @throws conflict if the text is still in use
   */
  forgetEvent?(
    ctx: SessionContext<Services>,
    write: Pick<Write, "tx">,
    removed: { readonly sequence: number; readonly event: SystemEvent },
  ): Promise<void>;
  /** Removes what the feature has stored for a chat message. */
  forgetMessage?(
    tx: Transaction,
    message: { readonly sessionId: string; readonly messageId: string },
  ): Promise<void>;
  /** Removes the feature's data about these versions of the document. */
  forgetVersions?(
    tx: Transaction,
    place: { readonly meshId: string; readonly sessionId: string },
    range: { readonly from: number; readonly to: number },
  ): Promise<unknown>;
}

/**
 * A feature's hooks for importing a session's record. They are called in the transaction that imports the
 * record, except `storeFiles`.
 */
export interface ImportHook {
  /**
   * Stores the data that the feature derives from the messages after this sequence. The roster and the
   * messages have already been stored.
   */
  store(tx: Transaction, imported: ImportedRecord): Promise<void>;
  /**
   * Stores the bytes of files that messages of the record carry. Called before the transaction, because it can take long.
   * What no message names in the end is deleted later.
   *
   * @throws forbidden if there is no room
   */
  storeFiles?(
    services: Pick<CoreServices, "database" | "settings">,
    attachments: BundledAttachments,
  ): Promise<void>;
  /**
   * Removes copies of an event's text that the feature has stored. Called before the event's own text is
   * removed.
   */
  forgetEvent(tx: Transaction, sessionId: string, sequence: number): Promise<void>;
}

export interface ImportedRecord {
  readonly sessionId: string;
  readonly meshId: string;
  readonly after: number;
  /** Digests of the messages' files that the bundle contains. */
  readonly digests: readonly string[];
}

/** The files of messages in a verified bundle. */
export interface BundledAttachments {
  readonly digests: readonly string[];
  open(digest: string): { readonly size: number; readonly bytes: AsyncIterable<Uint8Array> };
}

/** A feature's hook for exporting a session's record. */
export interface ExportHook {
  /** Yields the files that messages up to this sequence carry, each once. */
  listFiles(
    database: Pick<CoreServices["database"], "orm">,
    record: { readonly sessionId: string; readonly upTo: number },
  ): AsyncIterable<{ readonly digest: string; readonly bytes: AsyncIterable<Uint8Array> }>;
}

/** A feature's hooks for the erasure of a person. */
export interface PersonDataHook<Services extends SessionServices> {
  /**
   * Checks that the feature can erase the person's data.
   *
   * @throws conflict if the feature has data about the person that it cannot remove now
   */
  requireErasable?(services: Services, person: DataSubject): Promise<void>;
  /**
   * Redacts one of the person's messages or document versions in a session's record, on behalf of the eraser.
   * Runs as a separate write.
   */
  eraseText?(ctx: SessionContext<Services>, eraser: string, text: PersonText): Promise<void>;
}

/** Lets features take the locks that must be taken before text in a record is added or redacted. */
export async function holdForTexts(
  tx: Transaction,
  { hooks }: { readonly hooks: Pick<ViewHooks<SessionServices>, "onRemoveText"> },
  sessionId: string,
): Promise<void> {
  for (const hook of hooks.onRemoveText) await hook.hold?.(tx, sessionId);
}
