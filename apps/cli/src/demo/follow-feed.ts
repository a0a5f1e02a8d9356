import { EventEmitter, on } from "node:events";
import type { Message } from "@merkle/wire";
import type { FollowOptions, MerkleClient } from "@merkle/wire/client";

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
