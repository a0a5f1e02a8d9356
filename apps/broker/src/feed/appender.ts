import {
  type AppendOutcome,
  type Database,
  findViolatedConstraint,
  isConnectionLost,
  isDataError,
  isOutOfResources,
  isOutOfRoom,
  isTimeout,
  type MessageRow,
  type StoredMessage,
} from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { toStoredMessage } from "../core/message.js";
import type { Metrics } from "../core/metrics.js";
import { retryWhileLost } from "../core/retry-while-lost.js";

/**
 * The outcome of a post. The appender handles `busy` itself, so callers never get it. `settled`: the message
 * answers an ask that already has another answer.
 */
export type AppendResult = Exclude<AppendOutcome, { outcome: "busy" }> | { outcome: "settled" };

export interface Appender {
  /**
   * Appends one message. Resolves once the message is on disk, or with the reason why it cannot be stored.
   *
   * @throws unavailable, without queuing the post, if too much is queued; unavailable with `outcome: "unknown"`
   * if the connection to the database was lost and could not be restored in time to check
   */
  append(row: MessageRow): Promise<AppendResult>;
  /** Total bytes of the posts that were accepted but not completed yet. */
  readonly queuedBytes: number;
  /** Refuses further posts. Resolves once every accepted post has its outcome. */
  stop(): Promise<void>;
}

export interface AppenderOptions {
  readonly database: Pick<Database, "append" | "appendWaiting">;
  readonly metrics: Pick<Metrics, "posts" | "commitSeconds" | "recentCommits" | "batchRows">;
  /** Called with each batch of messages once it is committed, in the order of the feed. */
  readonly onPosted: (posted: readonly StoredMessage[]) => void;
  /**
   * Called with a message that turns out to be stored already. If the reply to that commit was lost, the
   * message may never have been announced.
   */
  readonly onDuplicate: (sessionId: string, sequence: number) => void;
}

/**
 * The size of the smallest row known not to fit on the disk in this flush. Larger rows are refused without
 * another attempt. With a full disk, a batch of a thousand rows thus causes about ten attempts instead of one
 * per row.
 */
interface KnownRoom {
  bytesMax: number;
}

interface PendingRow {
  readonly row: MessageRow;
  readonly bytes: number;
  readonly admittedAt: number;
  resolve(outcome: AppendResult): void;
  reject(error: unknown): void;
}

/**
 * Groups posts into commits (FEED-3). Posts that arrive during one flush go into the next, so a lone post does not wait and
 * a thousand posts share one fsync. A session whose feed is locked by another transaction gets its own queue on other
 * connections. Its posts keep their order, and no other session waits for them (FEED-15).
 */
export function startAppender({ database, metrics, onPosted, onDuplicate }: AppenderOptions): Appender {
  let queue: PendingRow[] = [];
  let queuedBytes = 0;
  let flushing: Promise<void> | null = null;
  let isStopped = false;
  const lockedQueues = new Map<string, PendingRow[]>();
  const lockedFlushes = new Set<Promise<void>>();

  function append(row: MessageRow): Promise<AppendResult> {
    if (isStopped) return Promise.reject(stopping());
    const bytes = Buffer.byteLength(row.content) + 200;
    if (queuedBytes + bytes > limits.appendQueueBytesMax) return Promise.reject(overloaded());
    queuedBytes += bytes;
    return new Promise<AppendResult>((resolve, reject) => {
      admit({ row, bytes, admittedAt: performance.now(), resolve, reject });
    });
  }

  function complete(pending: PendingRow, outcome: AppendResult): void {
    queuedBytes -= pending.bytes;
    pending.resolve(outcome);
  }

  function admit(pending: PendingRow): void {
    const sameSession = lockedQueues.get(pending.row.session_id);
    if (sameSession) {
      sameSession.push(pending);
      return;
    }
    queue.push(pending);
    flushing ??= flushQueue();
  }

  async function flushQueue(): Promise<void> {
    // Posts that arrive in one turn of the event loop share the first flush, across all connections.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (queue.length > 0) setAside(await flush(takeBatch(), database.append));
    flushing = null;
  }

  function takeBatch(): PendingRow[] {
    const batch = takeUpTo(queue);
    queue = queue.slice(batch.length);
    return batch;
  }

  /**
   * Sends a batch and completes its posts. Returns the posts of locked sessions, which are still pending.
   * Never throws: every post gets its own outcome.
   */
  async function flush(
    batch: readonly PendingRow[],
    send: Database["append"],
    room: KnownRoom = { bytesMax: Number.POSITIVE_INFINITY },
  ): Promise<PendingRow[]> {
    if (batch.length === 0) return [];
    try {
      const outcomes = await sendUntilKnown(batch, send);
      return settle(batch, outcomes);
    } catch (error) {
      return settleFailure(batch, error, send, room);
    }
  }

  async function sendUntilKnown(
    batch: readonly PendingRow[],
    send: Database["append"],
  ): Promise<AppendOutcome[]> {
    const rows = batch.map((pending) => pending.row);
    const begunAt = performance.now();
    metrics.batchRows.observe(rows.length);
    // A retry sends the same message ids, so rows that were committed before the connection was lost get the
    // outcome `duplicate`.
    const outcomes = await retryWhileLost(() => send(rows), batch[0]?.admittedAt);
    const tookMs = performance.now() - begunAt;
    metrics.commitSeconds.observe(tookMs / 1_000);
    metrics.recentCommits.add(tookMs);
    return outcomes;
  }

  function settle(batch: readonly PendingRow[], outcomes: readonly AppendOutcome[]): PendingRow[] {
    const posted: StoredMessage[] = [];
    const busy: PendingRow[] = [];
    const counts = new Map<AppendOutcome["outcome"], number>();
    batch.forEach((pending, index) => {
      const outcome = outcomes[index];
      if (!outcome) throw new TypeError("append_messages returned fewer outcomes than it got messages.");
      counts.set(outcome.outcome, (counts.get(outcome.outcome) ?? 0) + 1);
      if (outcome.outcome === "busy") {
        busy.push(pending);
        return;
      }
      if (outcome.outcome === "posted") {
        posted.push(toStoredMessage(pending.row, outcome));
      }
      if (outcome.outcome === "duplicate") onDuplicate(pending.row.session_id, outcome.sequence);
    });
    for (const [outcome, count] of counts) metrics.posts.inc({ outcome }, count);
    if (posted.length > 0) onPosted(posted);
    // Readers are notified before the posts complete, so that a message is already being delivered when its
    // author gets the reply.
    batch.forEach((pending, index) => {
      const outcome = outcomes[index];
      if (outcome && outcome.outcome !== "busy") complete(pending, outcome);
    });
    return busy;
  }

  /**
   * Halves a batch until the failing row is alone. A row that the database refuses or has no space for
   * therefore does not make the other rows fail.
   */
  async function settleFailure(
    batch: readonly PendingRow[],
    error: unknown,
    send: Database["append"],
    room: KnownRoom,
  ): Promise<PendingRow[]> {
    if ((isDataError(error) || isOutOfRoom(error)) && batch.length > 1) {
      const middle = Math.ceil(batch.length / 2);
      const busy = await flush(batch.slice(0, middle), send, room);
      // The session may have been unlocked in the meantime. Even so, later posts to it must not overtake its
      // busy rows.
      const busySessions = new Set(busy.map((pending) => pending.row.session_id));
      const mustFollow = (pending: PendingRow) => busySessions.has(pending.row.session_id);
      const second = batch.slice(middle);
      const others = second.filter((pending) => !mustFollow(pending));
      const tooLarge = others.filter((pending) => pending.bytes >= room.bytesMax);
      refuse(tooLarge, error);
      const rest = others.filter((pending) => pending.bytes < room.bytesMax);
      return [...busy, ...second.filter(mustFollow), ...(await flush(rest, send, room))];
    }
    if (isOutOfRoom(error)) room.bytesMax = Math.min(room.bytesMax, ...batch.map((pending) => pending.bytes));
    if (findViolatedConstraint(error) === "messages_settle_once") {
      metrics.posts.inc({ outcome: "settled" }, batch.length);
      for (const pending of batch) complete(pending, { outcome: "settled" });
      return [];
    }
    refuse(batch, error);
    return [];
  }

  function refuse(batch: readonly PendingRow[], error: unknown): void {
    if (batch.length === 0) return;
    metrics.posts.inc({ outcome: "failed" }, batch.length);
    const failure = describeFailure(error);
    for (const pending of batch) {
      queuedBytes -= pending.bytes;
      pending.reject(failure);
    }
  }

  /** Gives each busy session its own queue, and moves the session's posts that were queued later into it. */
  function setAside(busy: readonly PendingRow[]): void {
    for (const sessionId of new Set(busy.map((pending) => pending.row.session_id))) {
      const isOfSession = (pending: PendingRow) => pending.row.session_id === sessionId;
      lockedQueues.set(sessionId, [...busy.filter(isOfSession), ...queue.filter(isOfSession)]);
      queue = queue.filter((pending) => !isOfSession(pending));
      const flushed = flushLocked(sessionId).finally(() => lockedFlushes.delete(flushed));
      lockedFlushes.add(flushed);
    }
  }

  async function flushLocked(sessionId: string): Promise<void> {
    for (;;) {
      const waiting = lockedQueues.get(sessionId) ?? [];
      const batch = takeUpTo(waiting);
      if (batch.length === 0) break;
      await flush(batch, database.appendWaiting);
      waiting.splice(0, batch.length);
    }
    lockedQueues.delete(sessionId);
  }

  return {
    append,
    get queuedBytes() {
      return queuedBytes;
    },
    async stop() {
      isStopped = true;
      await flushing;
      await Promise.all(lockedFlushes);
    },
  };
}

function takeUpTo(queue: readonly PendingRow[]): PendingRow[] {
  let bytes = 0;
  const batch: PendingRow[] = [];
  for (const pending of queue) {
    bytes += pending.bytes;
    if (batch.length === limits.flushRowsMax || (batch.length > 0 && bytes > limits.flushBytesMax)) break;
    batch.push(pending);
  }
  return batch;
}

function describeFailure(error: unknown): unknown {
  const retry_after_s = 1;
  if (isConnectionLost(error)) {
    return new MerkleError(
      "unavailable",
      "The connection to the database was lost while the message was being saved, so it is not known whether it was posted. Send it again with the same idempotency key: it will not be posted twice.",
      { outcome: "unknown", retry_after_s },
      { cause: error },
    );
  }
  if (isTimeout(error)) {
    return new MerkleError(
      "unavailable",
      "The session's feed was locked for too long, so the message was not posted. Send it again.",
      { outcome: "none", retry_after_s },
      { cause: error },
    );
  }
  if (isOutOfResources(error)) {
    return new MerkleError(
      "unavailable",
      "The database has run out of disk space, memory or connections, so the message was not posted. Send it again once an admin has fixed that.",
      { outcome: "none", retry_after_s: 10 },
      { cause: error },
    );
  }
  if (isDataError(error)) {
    return new MerkleError(
      "bad_request",
      "The text contains characters that cannot be stored. Remove them and send it again.",
      {},
      { cause: error },
    );
  }
  return error;
}

function overloaded(): MerkleError {
  return new MerkleError(
    "unavailable",
    `The broker is busy: more than ${limits.appendQueueBytesMax} bytes of messages are waiting to be saved, so this message was not posted. Send it again in a second.`,
    { outcome: "none", retry_after_s: 1 },
  );
}

function stopping(): MerkleError {
  return new MerkleError(
    "unavailable",
    "The broker is stopping, so the message was not posted. Send it again when the broker is back.",
    {
      outcome: "none",
      retry_after_s: 2,
    },
  );
}
