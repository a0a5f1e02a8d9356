import { EventEmitter, on } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { Message } from "@merkle/wire";
import type { FollowOptions, MerkleClient } from "@merkle/wire/client";
import { FeedCheck } from "./check-feed.js";
import { describeExpected, failure } from "./expected.js";
import { type Expected, outcome } from "./story.js";

interface Watched {
  readonly client: MerkleClient;
  readonly session_id: string;
  /** How long the next message may take to come. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Rejects when one of those who play has failed. */
  readonly failed: Promise<never>;
  readonly onMessage: (message: Message) => Promise<void>;
  readonly onDocument: () => void;
}

/**
 * Follows the session on a connection of its own until the story has ended, and resolves with the whole feed.
 *
 * @throws the demo's failure, when something else comes, something comes twice, or nothing comes in time
 */
export async function watchFeed(watched: Watched): Promise<readonly Message[]> {
  const { client, session_id, signal, onMessage, onDocument } = watched;
  const check = new FeedCheck(outcome.feed);
  const feed = followFeed(client, {
    session: session_id,
    signal,
    onChanged: ({ kind }) => {
      if (kind === "document") onDocument();
    },
  });
  try {
    for (let { next } = check; next; { next } = check) {
      const message = await nextMessage(feed, next, watched);
      await onMessage(message);
      check.take(message);
    }
  } catch (error) {
    // Whoever failed mostly tells of an effect; the feed has the cause.
    if (!check.failed) await takeRest(check, watched);
    throw error;
  }
  return check.messages;
}

async function nextMessage(
  feed: AsyncGenerator<Message>,
  expected: Expected,
  { client, deadlineMs, failed }: Watched,
): Promise<Message> {
  const { value } = await within(deadlineMs, Promise.race([feed.next(), failed]), () => {
    const lost = client.state.status === "open" ? "" : ", and the broker does not answer";
    return failure(describeExpected(expected), `nothing came for ${Math.round(deadlineMs / 1_000)} s${lost}`);
  });
  return value;
}

async function takeRest(check: FeedCheck, { client, session_id, signal, onMessage }: Watched): Promise<void> {
  const last = check.messages.at(-1)?.sequence ?? 0;
  const options = { signal, timeoutMs: 2_000 };
  const rest = await client.call("get_history", { session_id }, options).catch(() => undefined);
  for (const message of rest?.messages ?? []) {
    if (message.sequence <= last) continue;
    await onMessage(message);
    check.take(message);
  }
}

type Follow = Pick<FollowOptions, "session" | "onChanged"> & { readonly signal: AbortSignal };

/** A session's messages from the first one on, as they come; it ends by the signal or with the subscription's error. */
export async function* followFeed(
  client: MerkleClient,
  { signal, ...options }: Follow,
): AsyncGenerator<Message> {
  const feed = new EventEmitter<{ message: [Message]; error: [Error] }>();
  const arrivals = on(feed, "message", { signal });
  const subscription = client.follow({
    ...options,
    after: 0,
    onMessage: (message) => void feed.emit("message", message),
    onError: (error) => void feed.emit("error", error),
  });
  try {
    for await (const [message] of arrivals) yield message;
  } finally {
    subscription.close();
  }
}

/** @throws what `late` gives, when the work is not done in time */
export async function within<Result>(ms: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  const timer = new AbortController();
  const deadline = pause(ms, undefined, { signal: timer.signal }).then(() => {
    throw late();
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    timer.abort();
  }
}
