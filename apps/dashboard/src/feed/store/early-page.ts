import type { Broker } from "@/broker/broker";
import { type FeedView, type PageInAdvance, type PageRequest, toHistoryInput } from "./feed-source";
import type { HistoryPage } from "./feed-window";

/**
 * The page that a feed will most likely open with, asked for while its session is still being read: by the time the feed is
 * there, so is its page. What has been said since the page was read comes live, as after any other.
 */
export class EarlyPage implements PageInAdvance {
  readonly #key: string;
  #page: Promise<HistoryPage> | undefined;

  constructor(broker: Broker, view: FeedView, request: PageRequest) {
    this.#key = keyOf(view, request);
    this.#page = broker.call("get_history", toHistoryInput(view, request));
    // Told to whoever takes it; nobody has to.
    this.#page.catch(() => undefined);
  }

  /** The page if it is this one that is wanted, once; the session may go by another of its names. */
  take(view: FeedView, request: PageRequest): Promise<HistoryPage> | undefined {
    if (keyOf(view, request) !== this.#key) return undefined;
    const page = this.#page;
    this.#page = undefined;
    return page;
  }
}

function keyOf(view: FeedView, request: PageRequest): string {
  return JSON.stringify(toHistoryInput({ ...view, sessionId: "" }, request));
}
