import { once } from "node:events";
import type { Message } from "@merkle/wire";
import { type FeedOptions, LiveFeeds, type MerkleClient } from "@merkle/wire/client";
import { limits } from "@merkle/wire/limits";

interface FollowFeedOptions extends Pick<FeedOptions, "session" | "after" | "onReady" | "onChanged"> {
  readonly client: MerkleClient;
  /** When aborted, the tail ends after the current message. Later messages are not printed. */
  readonly signal: AbortSignal;
  /** Called for one message at a time. The next call waits until the promise resolves. */
  onMessage(message: Message): Promise<void>;
  /**
   * Called after the database was restored. Returns the sequence to continue after, or throws to end the
   * tail.
   */
  onResync(): Promise<number>;
}

/**
 * Follows a session's feed, one message at a time, until the signal is aborted.
 *
 * @throws the error of a callback; MerkleError if the broker refuses the connection or closes it permanently
 */
export async function followFeed(options: FollowFeedOptions): Promise<void> {
  const { client, signal, onMessage, onResync, ...rest } = options;
  const failure = new AbortController();
  const ended = AbortSignal.any([signal, failure.signal]);
  let handling: Promise<void> = Promise.resolve();
  const feed = new LiveFeeds(client).follow({
    ...rest,
    onMessages(messages) {
      handling = handle(messages);
      return handling;
    },
    // Messages that are still being handled belong to the feed before the restore, so finish them first.
    onResync: () => handling.then(onResync),
    onError: (error) => failure.abort(error),
  });

  async function handle(messages: readonly Message[]): Promise<void> {
    for (const message of messages) {
      if (signal.aborted) return;
      await onMessage(message);
    }
  }

  try {
    if (!ended.aborted) await once(ended, "abort");
    await handling;
    failure.signal.throwIfAborted();
  } finally {
    feed.close();
  }
}

/** The point after which a restored feed differs from the feed that was read. */
export interface FeedDivergence {
  /** The sequence of the last message that both feeds contain. */
  readonly sequence: number;
  /** The number of messages that were read but are missing from the restored feed. */
  readonly gone: number;
}

/**
 * The ids of the last messages that were read, by sequence. After a restore, sequences are reused but ids are
 * not.
 */
interface ReadMessages {
  /**
   * Sequence of the last message that was printed or, before the first one, the start. The feed's cursor is ahead of
   * it, because the feed delivers several messages at a time.
   */
  readonly cursor: number;
  add(message: Message): void;
  /**
   * Compares the remembered messages with the restored feed. Forgets messages that the feed no longer
   * contains.
   */
  findDivergence(client: Pick<MerkleClient, "call">, sessionId: string): Promise<FeedDivergence>;
}

/**
 * Maximum number of remembered messages. If a restore removes more messages, only the remembered ones are
 * reported as removed.
 */
const trackedMessagesMax = 1_000;

export function createReadMessages(after: number): ReadMessages {
  const idBySequence = new Map<number, string>();
  let cursor = after;

  /**
   * Finds the last remembered message that the feed still contains. Messages older than the remembered ones
   * are assumed to be in the feed.
   */
  async function findLastShared(client: Pick<MerkleClient, "call">, sessionId: string): Promise<number> {
    const [first = cursor + 1] = idBySequence.keys();
    let before = cursor + 1;
    while (before > first) {
      const { messages } = await client.call("get_history", {
        session_id: sessionId,
        before_cursor: before,
        limit: limits.pageMessagesMax,
      });
      const shared = messages.findLast(({ sequence, id }) => idBySequence.get(sequence) === id);
      if (shared) return shared.sequence;
      before = messages[0]?.sequence ?? 0;
    }
    const { last_sequence } = await client.call("get_session", { session_id: sessionId });
    return Math.min(first - 1, last_sequence);
  }

  return {
    get cursor() {
      return cursor;
    },
    add({ sequence, id }) {
      idBySequence.set(sequence, id);
      cursor = sequence;
      const [first] = idBySequence.keys();
      if (first !== undefined && idBySequence.size > trackedMessagesMax) idBySequence.delete(first);
    },
    async findDivergence(client, sessionId) {
      const sequence = await findLastShared(client, sessionId);
      const gone = [...idBySequence.keys()].filter((each) => each > sequence);
      for (const each of gone) idBySequence.delete(each);
      cursor = sequence;
      return { sequence, gone: gone.length };
    },
  };
}
