import type { Broker } from "@/broker/broker";
import { type FeedView, type PageRequest, type PrefetchedPage, toHistoryInput } from "./feed-source";
import type { HistoryPage } from "./feed-window";

/**
 * The page that a feed will most likely open with. It is requested while the session is still loading, so both arrive together.
 * Messages posted after this page arrive as live messages.
 */
export class EarlyPage implements PrefetchedPage {
  readonly #key: string;
  #page: Promise<HistoryPage> | undefined;

  constructor(broker: Broker, view: FeedView, request: PageRequest) {
    this.#key = toRequestKey(view, request);
    this.#page = broker.call("get_history", toHistoryInput(view, request));
    // `take` returns the same promise with its error. This handler avoids an unhandled rejection if the page is never taken.
    this.#page.catch(() => undefined);
  }

  /** Returns the page if it matches the view and request, and only once. The view may name the session by its id or its slug. */
  take(view: FeedView, request: PageRequest): Promise<HistoryPage> | undefined {
    if (toRequestKey(view, request) !== this.#key) return undefined;
    const page = this.#page;
    this.#page = undefined;
    return page;
  }
}

function toRequestKey(view: FeedView, request: PageRequest): string {
  return JSON.stringify(toHistoryInput({ ...view, sessionId: "" }, request));
}
