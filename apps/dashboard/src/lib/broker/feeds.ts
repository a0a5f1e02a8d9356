import type { Message } from "@merkle/wire";
import type { MerkleClient, MerkleError, Subscription } from "@merkle/wire/client";
import type { SessionChange } from "./broker";

/** Who reads a feed, or only wants hints of changes: then `after` is null. */
export interface Reader {
  readonly after: number | null;
  onMessages(messages: readonly Message[]): void;
  onChanged(change: SessionChange): void;
  onResync(): void;
  onError(error: MerkleError): void;
}

type FeedClient = Pick<MerkleClient, "call" | "follow">;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The feeds that pages read, each fetched once however many read it. */
export class Feeds {
  readonly #client: FeedClient;
  readonly #byId = new Map<string, Feed>();
  /** A session may be named by id or slug; the broker has one subscription to it. */
  readonly #ids = new Map<string, Promise<string>>();

  constructor(client: FeedClient) {
    this.#client = client;
  }

  /** Reads until the function that is returned is called, or the reader was told of an end. */
  read(session: string, credential: string | undefined, reader: Reader): () => void {
    let stop: (() => void) | undefined;
    let stopped = false;
    this.#idOf(session, credential).then(
      (id) => {
        if (!stopped) stop = this.#feedOf(id, credential).add(reader);
      },
      (error: MerkleError) => {
        if (!stopped) reader.onError(error);
      },
    );
    return () => {
      stopped = true;
      stop?.();
    };
  }

  /** Tells every reader that anything may have changed. */
  hintAll(): void {
    for (const feed of this.#byId.values()) feed.hint({ kind: "all" });
  }

  #feedOf(id: string, credential: string | undefined): Feed {
    const known = this.#byId.get(id);
    if (known) return known;
    const feed = new Feed(this.#client, { id, credential }, () => this.#byId.delete(id));
    this.#byId.set(id, feed);
    return feed;
  }

  #idOf(session: string, credential: string | undefined): Promise<string> {
    if (uuid.test(session)) return Promise.resolve(session.toLowerCase());
    const known = this.#ids.get(session);
    if (known !== undefined) return known;
    const asked = this.#client
      .call(
        "get_session",
        { session_id: session, team_id: credential },
        { timeoutMs: Number.POSITIVE_INFINITY },
      )
      .then(({ session_id }) => session_id);
    this.#ids.set(session, asked);
    asked.catch(() => this.#ids.delete(session));
    return asked;
  }
}

interface FeedSession {
  readonly id: string;
  /** Of whoever asked first, where the broker lets only those read who have one. */
  readonly credential: string | undefined;
}

interface Place {
  readonly reader: Reader;
  /** The last sequence that the reader has; null for one that wants hints alone. */
  cursor: number | null;
  pending: Message[];
}

/**
 * One session's feed for all its readers. There is one subscription, at the least of their cursors: a reader who is behind
 * makes it start again from there, and the others pass over what they have.
 */
class Feed {
  readonly #client: FeedClient;
  readonly #session: FeedSession;
  readonly #onEmpty: () => void;
  readonly #places = new Set<Place>();
  #subscription: Subscription | undefined;
  /** Whether the subscription's cursor is known; one for hints alone starts wherever the broker says. */
  #hasCursor = false;
  #flushing = false;

  constructor(client: FeedClient, session: FeedSession, onEmpty: () => void) {
    this.#client = client;
    this.#session = session;
    this.#onEmpty = onEmpty;
  }

  add(reader: Reader): () => void {
    const place: Place = { reader, cursor: reader.after, pending: [] };
    this.#places.add(place);
    this.#startWhereNeeded();
    return () => {
      this.#places.delete(place);
      this.#endWhenEmpty();
    };
  }

  hint(change: SessionChange): void {
    for (const { reader } of [...this.#places]) reader.onChanged(change);
  }

  #startWhereNeeded(): void {
    const cursors = [...this.#places].flatMap(({ cursor }) => (cursor === null ? [] : [cursor]));
    const from = cursors.length === 0 ? undefined : Math.min(...cursors);
    if (this.#subscription && (from === undefined || (this.#hasCursor && this.#subscription.cursor <= from)))
      return;
    this.#subscribe(from);
  }

  #subscribe(after: number | undefined): void {
    this.#subscription?.close();
    const { id, credential } = this.#session;
    this.#hasCursor = after !== undefined;
    const subscription = this.#client.follow({
      session: id,
      ...(after === undefined ? {} : { after }),
      ...(credential === undefined ? {} : { teamId: credential }),
      onMessage: (message) => this.#receive(message),
      onChanged: ({ kind }) => this.hint({ kind }),
      onResync: () => this.#resync(),
      onError: (error) => this.#fail(error),
    });
    this.#subscription = subscription;
    const began = () => this.#subscription === subscription && this.#began();
    subscription.ready.then(began, () => undefined); // Of its end `onError` tells.
  }

  /** What changed between a page's first reads and now, no hint has told. */
  #began(): void {
    this.#hasCursor = true;
    this.hint({ kind: "all" });
  }

  #receive(message: Message): void {
    for (const place of this.#places) {
      if (place.cursor === null || message.sequence <= place.cursor) continue;
      place.cursor = message.sequence;
      place.pending.push(message);
    }
    if (this.#flushing) return;
    this.#flushing = true;
    // What comes in one turn goes out together.
    setTimeout(() => this.#flush(), 0);
  }

  #flush(): void {
    this.#flushing = false;
    for (const place of [...this.#places]) {
      const { pending } = place;
      place.pending = [];
      if (pending.length > 0) place.reader.onMessages(pending);
    }
  }

  /** Cursors mean nothing any more: those who have one start anew by themselves, the others go on. */
  #resync(): undefined {
    this.#subscription?.close();
    this.#subscription = undefined;
    for (const place of [...this.#places]) {
      if (place.cursor === null) continue;
      this.#places.delete(place);
      place.reader.onResync();
    }
    if (this.#places.size > 0) this.#startWhereNeeded();
    else this.#onEmpty();
  }

  #fail(error: MerkleError): void {
    this.#subscription = undefined;
    const places = [...this.#places];
    this.#places.clear();
    this.#onEmpty();
    for (const { reader } of places) reader.onError(error);
  }

  #endWhenEmpty(): void {
    if (this.#places.size > 0) return;
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#onEmpty();
  }
}
