import type { Message, Session } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { limits } from "@merkle/wire/limits";
import { usageError } from "../../core/cli-error.js";
import type { TailStart } from "./tail-options.js";

interface StartQuery {
  readonly client: Pick<MerkleClient, "call">;
  readonly session: Session;
  readonly since: TailStart;
  readonly isShown: (message: Message) => boolean;
  /** Returns the sequence of the last message that the reader has read. Called only for `--since unread`. */
  readonly readLastRead: () => Promise<number>;
  readonly now: number;
  readonly signal: AbortSignal;
}

/**
 * Returns the sequence after which a tail starts. @throws CliError `usage` for a number beyond the end of the
 * feed
 */
export async function findStart(start: StartQuery): Promise<number> {
  const { since, session } = start;
  switch (since.is) {
    case "after":
      if (since.sequence <= session.last_sequence) return since.sequence;
      throw usageError(
        `--since ${since.sequence} is beyond the last message of ${session.slug}, #${session.last_sequence}.`,
      );
    case "ago":
      return findLastBefore(start, start.now - since.seconds * 1_000);
    case "last":
      return findBeforeLast(start, since.count);
    case "unread":
      return Math.min(await start.readLastRead(), session.last_sequence);
  }
}

/**
 * Finds the last message posted before a time. A binary search works, because times never decrease within a
 * feed.
 */
async function findLastBefore({ client, session, signal }: StartQuery, time: number): Promise<number> {
  let before = 0;
  let notBefore = session.last_sequence + 1;
  while (notBefore - before > 1) {
    const middle = Math.floor((before + notBefore) / 2);
    const { messages } = await client.call(
      "get_history",
      { session_id: session.session_id, before_cursor: middle + 1, limit: 1 },
      { signal },
    );
    const [message] = messages;
    if (message && Date.parse(message.posted_at) < time) before = middle;
    else notBefore = middle;
  }
  return before;
}

/** Maximum number of recent messages to search for messages that pass a filter. */
const messagesSearchedMax = 20 * limits.pageMessagesMax;

/** Returns the sequence before the last `count` messages that pass the filter. */
async function findBeforeLast(
  { client, session, isShown, signal }: StartQuery,
  count: number,
): Promise<number> {
  const oldest = Math.max(session.last_sequence - messagesSearchedMax, 0);
  let before = session.last_sequence + 1;
  let missing = count;
  while (before > oldest + 1) {
    const { messages } = await client.call(
      "get_history",
      { session_id: session.session_id, before_cursor: before, limit: limits.pageMessagesDefault },
      { signal },
    );
    for (const message of messages.toReversed()) {
      if (isShown(message)) missing -= 1;
      if (missing === 0) return message.sequence - 1;
    }
    before = messages[0]?.sequence ?? 0;
  }
  return oldest;
}
