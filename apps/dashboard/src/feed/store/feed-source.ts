import type { InputOf, Message } from "@merkle/wire";
import type { Broker } from "@/broker/broker";
import { type FeedViewFilter, toHistoryFilter } from "./feed-filter";
import type { HistoryPage } from "./feed-window";
import type { Replay } from "./replay";

/** Selects a page of the feed: the last page, or the page before, after or around a sequence. */
export type PageRequest =
  | { readonly is: "last" }
  | { readonly is: "before" | "after" | "around"; readonly sequence: number };

/** Provides the messages of a feed. */
export interface FeedSource {
  /**
   * Reads a page of the feed.
   *
   * @throws MerkleError `resync` if the broker's epoch has changed
   */
  readPage(request: PageRequest, epoch: string | undefined, signal: AbortSignal): Promise<HistoryPage>;
  /**
   * Delivers the messages after a sequence of an epoch as they are posted. For a past moment, delivers them as the replay reaches
   * them.
   */
  follow(start: FollowStart, listeners: FollowListeners): () => void;
  /** True if no filter applies, so live messages can be added to the window directly. */
  readonly isWhole: boolean;
}

export interface FollowStart {
  readonly after: number;
  readonly epoch: string | undefined;
}

export interface FollowListeners {
  onMessages(messages: readonly Message[]): void;
  onResync(): void;
  onError(error: unknown): void;
}

export interface FeedView {
  readonly sessionId: string;
  readonly filter: FeedViewFilter;
  /** The past moment being shown. Null for the present. */
  readonly at: string | null;
}

/** A page that was requested before its feed existed. */
export interface PrefetchedPage {
  take(view: FeedView, request: PageRequest): Promise<HistoryPage> | undefined;
}

/** Creates the source of a session's feed, with a filter, for the present or a past moment. */
export function toFeedSource(
  broker: Broker,
  view: FeedView,
  early: { readonly current: PrefetchedPage | null },
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
          ...toHistoryInput({ ...view, at: replay.toMoment(at) }, request),
          ...(epoch === undefined ? {} : { epoch }),
        },
        { signal },
      ),
    follow: (start, listeners) =>
      at === null
        ? broker.follow({ sessionId, ...start, ...listeners })
        : replay.follow({ after: start.after, onMessages: listeners.onMessages }),
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
    ...toCursor(request),
    ...(at === null ? {} : { at }),
  };
}

function toCursor(request: PageRequest) {
  if (request.is === "before") return { before_cursor: request.sequence };
  if (request.is === "after") return { after_cursor: request.sequence };
  return request.is === "around" ? { around: request.sequence } : {};
}
