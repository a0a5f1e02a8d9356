import type { InputOf, Message } from "@merkle/wire";
import type { Broker } from "@/broker/broker";
import { type FeedFilter, toHistoryFilter } from "./feed-filter";
import type { HistoryPage } from "./feed-window";
import type { Replay } from "./replay";

/** A page of a feed: the last one, or the one before, after or around a sequence. */
export type PageRequest =
  | { readonly is: "last" }
  | { readonly is: "before" | "after" | "around"; readonly sequence: number };

/** Where a feed comes from. */
export interface FeedSource {
  /** @throws MerkleError `resync` when the epoch is no longer the broker's */
  readPage(request: PageRequest, epoch: string | undefined, signal: AbortSignal): Promise<HistoryPage>;
  /** Brings the messages after a sequence as they come; of a moment in the past, as they are played. */
  follow(after: number, listeners: FollowListeners): () => void;
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
  /** The shown moment of the past. */
  readonly at: string | null;
}

/** A page that was asked for before its feed was there. */
export interface PageInAdvance {
  take(view: FeedView, request: PageRequest): Promise<HistoryPage> | undefined;
}

/** A session's feed at the broker, filtered, now or at a past moment. */
export function toFeedSource(
  broker: Broker,
  view: FeedView,
  early: { readonly current: PageInAdvance | null },
  replay: Replay,
): FeedSource {
  const { sessionId, filter, at } = view;
  return {
    isWhole: Object.keys(toHistoryFilter(filter)).length === 0,
    readPage: (request, epoch, signal) =>
      early.current?.take(view, request) ??
      broker.call(
        "get_history",
        {
          ...toHistoryInput({ ...view, at: replay.momentOf(at) }, request),
          ...(epoch === undefined ? {} : { epoch }),
        },
        { signal },
      ),
    follow: (after, listeners) =>
      at === null
        ? broker.follow({ sessionId, after, ...listeners })
        : replay.follow({ after, onMessages: listeners.onMessages }),
  };
}

/** Returns the request for a page of a feed. */
export function toHistoryInput(
  { sessionId, filter, at }: FeedView,
  request: PageRequest,
): InputOf<"get_history"> {
  return {
    session_id: sessionId,
    ...toHistoryFilter(filter),
    ...cursorOf(request),
    ...(at === null ? {} : { at }),
  };
}

function cursorOf(request: PageRequest) {
  if (request.is === "before") return { before_cursor: request.sequence };
  if (request.is === "after") return { after_cursor: request.sequence };
  return request.is === "around" ? { around: request.sequence } : {};
}
