import { once } from "node:events";
import type { Message } from "@merkle/wire";
import { type FeedOptions, LiveFeeds, type MerkleClient } from "@merkle/wire/client";
import { limits } from "@merkle/wire/limits";

interface FollowFeedOptions extends Pick<FeedOptions, "session" | "after" | "onReady" | "onChanged"> {
  readonly client: MerkleClient;
  /** Ends it, once the message that was begun is done; the messages after that one are left out. */
  readonly signal: AbortSignal;
  /** Called for one message after another; the next waits until this one is done. */
  onMessage(message: Message): Promise<void>;
  /** The database was restored: says after which message of the restored feed to go on, or throws. */
  onResync(): Promise<number>;
}

/**
 * Follows a session's feed, one message at a time, until the signal is aborted.
 *
 * @throws what a listener threw; MerkleError when the broker refuses, or ends the connection for good
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
    // The messages in hand are of the feed as it was.
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

/** Where a restored feed parts from the one that was read. */
export interface Parting {
  /** The last message that both have. */
  readonly sequence: number;
  /** How many messages were read that the restored feed does not have. */
  readonly gone: number;
}

/** The last messages that were read. Their ids outlive a restore, which gives their numbers a second time. */
interface ReadMessages {
  add(message: Message): void;
  /** Compares them with the feed as it is after a restore, and forgets those that it does not have. */
  findParting(client: Pick<MerkleClient, "call">, sessionId: string): Promise<Parting>;
}

/** A restore that takes away more than these is taken to have taken away just these. */
const rememberedMax = 1_000;

export function createReadMessages(after: number): ReadMessages {
  const idBySequence = new Map<number, string>();
  let last = after;

  /** The last message that the feed and we have; what was read before the first that we remember is taken to be there. */
  async function findLastKept(client: Pick<MerkleClient, "call">, sessionId: string): Promise<number> {
    const [first = last + 1] = idBySequence.keys();
    let before = last + 1;
    while (before > first) {
      const { messages } = await client.call("get_history", {
        session_id: sessionId,
        before_cursor: before,
        limit: limits.pageMessagesMax,
      });
      const kept = messages.findLast(({ sequence, id }) => idBySequence.get(sequence) === id);
      if (kept) return kept.sequence;
      before = messages[0]?.sequence ?? 0;
    }
    const { last_sequence } = await client.call("get_session", { session_id: sessionId });
    return Math.min(first - 1, last_sequence);
  }

  return {
    add({ sequence, id }) {
      idBySequence.set(sequence, id);
      last = sequence;
      const [first] = idBySequence.keys();
      if (first !== undefined && idBySequence.size > rememberedMax) idBySequence.delete(first);
    },
    async findParting(client, sessionId) {
      const sequence = await findLastKept(client, sessionId);
      const gone = [...idBySequence.keys()].filter((each) => each > sequence);
      for (const each of gone) idBySequence.delete(each);
      last = sequence;
      return { sequence, gone: gone.length };
    },
  };
}
