import type { MerkleError } from "../core/errors.js";
import type { FeedOptions } from "./feed-reader.js";
import { type FeedClient, type LiveFeed, SharedFeed } from "./shared-feed.js";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * A client's live feeds, shared by any number of readers. The client follows each session only once. Every
 * reader gets each message after its own cursor once and in order, across reconnects (CLIENT-3). While a feed
 * is live, nothing else in the client may follow the same session.
 */
export class LiveFeeds {
  readonly #client: FeedClient;
  readonly #bySession = new Map<string, SharedFeed>();
  /**
   * Session ids by slug or id. The broker allows one subscription per session, no matter how the session is
   * named.
   */
  readonly #ids = new Map<string, Promise<string>>();

  constructor(client: FeedClient) {
    this.#client = client;
    let wasOpen = client.state.status === "open";
    client.onState(({ status }) => {
      if (status !== "open") return;
      // The broker keeps no hints for a disconnected client. After each reconnect, anything that was read
      // before may have changed.
      if (wasOpen) for (const feed of this.#bySession.values()) feed.hint({ kind: "all" });
      wasOpen = true;
    });
  }

  /** Reads a session's feed until it is closed or ends. */
  follow(options: FeedOptions): LiveFeed {
    let isClosed = false;
    // Until the session's id is known, the feed stays at its start.
    let feed: LiveFeed = { cursor: options.after, epoch: options.epoch, close: () => undefined };
    this.#resolveSessionId(options).then(
      (id) => {
        if (!isClosed) feed = this.#openFeed(id, options.teamId).add(options);
      },
      (error: MerkleError) => {
        if (!isClosed) options.onError?.(error);
      },
    );
    return {
      get cursor() {
        return feed.cursor;
      },
      get epoch() {
        return feed.epoch;
      },
      close: () => {
        isClosed = true;
        feed.close();
      },
    };
  }

  #openFeed(id: string, teamId: string | undefined): SharedFeed {
    const known = this.#bySession.get(id);
    if (known) return known;
    const feed = new SharedFeed(this.#client, { id, teamId }, () => this.#bySession.delete(id));
    this.#bySession.set(id, feed);
    return feed;
  }

  #resolveSessionId({ session, teamId }: FeedOptions): Promise<string> {
    if (uuid.test(session)) return Promise.resolve(session.toLowerCase());
    const known = this.#ids.get(session);
    if (known !== undefined) return known;
    const id = this.#client
      .call("get_session", { session_id: session, team_id: teamId }, { timeoutMs: Number.POSITIVE_INFINITY })
      .then(({ session_id }) => session_id);
    this.#ids.set(session, id);
    id.catch(() => this.#ids.delete(session));
    return id;
  }
}
