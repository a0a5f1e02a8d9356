import type { Message } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { FeedCheck } from "./check-feed.js";
import { describeExpected } from "./expected.js";
import { failure } from "./failure.js";
import { followFeed } from "./follow-feed.js";
import { type Expected, outcome } from "./story.js";
import { within } from "./within.js";

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
