import type { Message } from "@merkle/wire";
import type { Broker } from "../broker/broker";
import type { FeedFilter } from "./feed-filter";
import { toHistoryFilter } from "./feed-filter";
import type { HistoryPage } from "./feed-window";

/** Which page of a feed: the last one, or one that lies before, after or around a sequence. */
export type PageRequest =
  | { readonly is: "last" }
  | { readonly is: "before" | "after" | "around"; readonly sequence: number };

/** Where a feed comes from. */
export interface FeedSource {
  /** @throws MerkleError `resync` when the epoch is no longer the broker's */
  readPage(request: PageRequest, epoch: string | undefined, signal: AbortSignal): Promise<HistoryPage>;
  /** Brings the messages after a sequence; null where nothing is live. */
  readonly follow: ((after: number, listeners: FollowListeners) => () => void) | null;
  /** Whether every message is brought, so that live ones can be taken as they come. */
  readonly isWhole: boolean;
}

export interface FollowListeners {
  onMessages(messages: readonly Message[]): void;
  onResync(): void;
  onError(error: unknown): void;
}

export interface FeedView {
  readonly sessionId: string;
  readonly filter: FeedFilter;
  /** The moment that is looked at instead of now. */
  readonly at: string | null;
}

/** A session's feed at the broker, through a filter, as it is or as it was. */
export function toFeedSource(broker: Broker, { sessionId, filter, at }: FeedView): FeedSource {
  const filtered = toHistoryFilter(filter);
  return {
    isWhole: Object.keys(filtered).length === 0,
    readPage: (request, epoch, signal) =>
      broker.call(
        "get_history",
        {
          session_id: sessionId,
          ...filtered,
          ...cursorOf(request),
          ...(at === null ? {} : { at }),
          ...(epoch === undefined ? {} : { epoch }),
        },
        { signal },
      ),
    follow: at === null ? (after, listeners) => broker.follow({ sessionId, after, ...listeners }) : null,
  };
}

function cursorOf(request: PageRequest) {
  if (request.is === "before") return { before_cursor: request.sequence };
  if (request.is === "after") return { after_cursor: request.sequence };
  return request.is === "around" ? { around: request.sequence } : {};
}
