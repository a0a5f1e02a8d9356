import type { DataSubject, FactScope, PersonText, Queryable, Transaction } from "@merkle/db";
import type { AttentionItem, BrokerSettings, SystemEvent } from "@merkle/wire";
import type { CoreServices } from "../core/services.js";
import type { Write } from "../core/write.js";
import type { DocumentHooks } from "../document/hooks.js";
import type { SessionContext, SessionServices } from "../sessions/context.js";
import type { Fact } from "./fact.js";

/** What features add to what is read and done across sessions. */
export interface ViewHooks<Services extends SessionServices> extends DocumentHooks<Services> {
  readonly attention: readonly AttentionSource[];
  /** What features delete after a while, by its name. */
  readonly purge: Readonly<Record<string, Purge>>;
  readonly personData: readonly PersonDataHook<Services>[];
  readonly onRemoveText: readonly TextRemovalHook<Services>[];
}

/** Lists facts of a feature that wait for a human. */
export interface AttentionSource {
  /** The first kind decides where in the list the facts stand. */
  readonly kinds: readonly [AttentionItem["kind"], ...AttentionItem["kind"][]];
  list(services: Pick<CoreServices, "database">, scope: FactScope, wanted: WantedFacts): Promise<Fact[]>;
}

export interface WantedFacts {
  /** Leaves out asks that are addressed to other people alone. */
  readonly personId: string | null;
  /** The permissions that agents wait for: by default none, since each is for one person; `own`, the person's. */
  readonly approvals?: "own" | "everybody's";
  /** By default all open sessions. */
  readonly sessionIds?: readonly string[] | undefined;
  /** Whether facts about files are wanted, too; by default where no sessions are named. */
  readonly files?: boolean;
}

/** Deletes what is no longer kept, in every mesh, and returns how many rows. */
export type Purge = (db: Queryable, settings: BrokerSettings) => Promise<number>;

/** The part of a feature in the removal of a text from a record. */
export interface TextRemovalHook<Services extends SessionServices> {
  /** Takes the locks that must be held before the feed's and the document's. */
  hold?(tx: Transaction, sessionId: string): Promise<void>;
  /**
   * Removes what an event says where the feature stores it as well.
   *
   * @throws conflict for a text that is still in use
   */
  forgetEvent?(
    ctx: SessionContext<Services>,
    write: Pick<Write, "tx">,
    removed: { readonly sequence: number; readonly event: SystemEvent },
  ): Promise<void>;
  /** Removes what the feature stores of these versions of the document. */
  forgetVersions?(
    tx: Transaction,
    place: { readonly meshId: string; readonly sessionId: string },
    range: { readonly from: number; readonly to: number },
  ): Promise<unknown>;
}

/** The part of a feature in the erasure of a person. */
export interface PersonDataHook<Services extends SessionServices> {
  /** @throws conflict where the feature holds data of the person that it cannot remove now */
  requireErasable?(services: Services, person: DataSubject): Promise<void>;
  /** Removes one text of the person from the record of a session, in the name of the eraser. It is a write of its own. */
  eraseText?(ctx: SessionContext<Services>, eraser: string, text: PersonText): Promise<void>;
}

/** Has features take the locks that must be held before texts of a record come or go. */
export async function holdForTexts(
  tx: Transaction,
  { hooks }: { readonly hooks: Pick<ViewHooks<SessionServices>, "onRemoveText"> },
  sessionId: string,
): Promise<void> {
  for (const hook of hooks.onRemoveText) await hook.hold?.(tx, sessionId);
}
