import type { DataSubject, FactScope, PersonText, Queryable, Transaction } from "@merkle/db";
import type { AttentionItem, BrokerSettings, SystemEvent } from "@merkle/wire";
import type { CoreServices } from "../core/services.js";
import type { Write } from "../core/write.js";
import type { DocumentHooks } from "../document/hooks.js";
import type { SessionContext, SessionServices } from "../sessions/context.js";
import type { Fact } from "./fact.js";

/** The extension points for features in reads and operations across sessions. */
export interface ViewHooks<Services extends SessionServices> extends DocumentHooks<Services> {
  readonly attention: readonly AttentionSource[];
  /** The features' functions that delete expired data, by the name of the data. */
  readonly purge: Readonly<Record<string, Purge>>;
  readonly personData: readonly PersonDataHook<Services>[];
  readonly onRemoveText: readonly TextRemovalHook<Services>[];
  readonly onImport: readonly ImportHook[];
}

/** Lists the facts of a feature that wait for a human. */
export interface AttentionSource {
  /** The first kind determines the position of the facts in the list. */
  readonly kinds: readonly [AttentionItem["kind"], ...AttentionItem["kind"][]];
  list(services: Pick<CoreServices, "database">, scope: FactScope, wanted: WantedFacts): Promise<Fact[]>;
}

export interface WantedFacts {
  /** The person who reads. Excludes asks that are addressed only to other people. */
  readonly personId: string | null;
  /** The approvals to include (default: none, since each is for one person). `own` means the person's. */
  readonly approvals?: "own" | "everybody's";
  /** The sessions to include (default: all open sessions). */
  readonly sessionIds?: readonly string[] | undefined;
  /** Whether to include facts about files (default: only if no sessions are named). */
  readonly files?: boolean;
}

/** Deletes expired data in every mesh. Returns the number of rows. */
export type Purge = (db: Queryable, settings: BrokerSettings) => Promise<number>;

/** A feature's part in the removal of a text from a record. */
export interface TextRemovalHook<Services extends SessionServices> {
  /** Takes the locks that must be taken before those of the feed and the document. */
  hold?(tx: Transaction, sessionId: string): Promise<void>;
  /**
   * Removes an event's text where the feature has stored a copy.
   *
   * @throws conflict for a text that is still in use
   */
  forgetEvent?(
    ctx: SessionContext<Services>,
    write: Pick<Write, "tx">,
    removed: { readonly sequence: number; readonly event: SystemEvent },
  ): Promise<void>;
  /** Removes the feature's data about these versions of the document. */
  forgetVersions?(
    tx: Transaction,
    place: { readonly meshId: string; readonly sessionId: string },
    range: { readonly from: number; readonly to: number },
  ): Promise<unknown>;
}

/** A feature's part in the import of a session's record. Both are called in the transaction that imports it. */
export interface ImportHook {
  /** Stores what the feature derives from the messages after this sequence. Roster and messages have been stored. */
  store(tx: Transaction, imported: { readonly sessionId: string; readonly after: number }): Promise<void>;
  /** Removes the texts of an event where the feature stores them as well, before the event's own texts are removed. */
  forgetEvent(tx: Transaction, sessionId: string, sequence: number): Promise<void>;
}

/** A feature's part in the erasure of a person. */
export interface PersonDataHook<Services extends SessionServices> {
  /** @throws conflict if the feature has data of the person that it cannot remove now */
  requireErasable?(services: Services, person: DataSubject): Promise<void>;
  /** Removes one text of the person from the record of a session, in the name of the eraser. Runs as a separate write. */
  eraseText?(ctx: SessionContext<Services>, eraser: string, text: PersonText): Promise<void>;
}

/** Lets features take the locks that must be taken before texts are added to or removed from a record. */
export async function holdForTexts(
  tx: Transaction,
  { hooks }: { readonly hooks: Pick<ViewHooks<SessionServices>, "onRemoveText"> },
  sessionId: string,
): Promise<void> {
  for (const hook of hooks.onRemoveText) await hook.hold?.(tx, sessionId);
}
