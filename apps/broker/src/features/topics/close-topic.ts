import {
  closeTopicRow,
  lockTopicCounter,
  rejectOpenProposal,
  reopenTopicRow,
  type TopicKey,
  type TopicRow,
  toSourceColumns,
} from "@merkle/db";
import { MerkleError, type TopicCloseReason } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import { refuseTooManyOpen } from "./open-topic.js";
import type { TopicServices } from "./services.js";

/**
 * Closes a topic and announces it in the session (TOPIC-5). Call this function last in a write, like every
 * announcement.
 *
 * @throws conflict if the topic is already closed; if two callers close it at the same time, exactly one
 * succeeds
 */
export async function closeTopic(
  { tx, announce }: Pick<Write, "tx" | "announce">,
  key: TopicKey,
  { by, reason, causedBy }: { by: string; reason: TopicCloseReason; causedBy: string | null },
): Promise<TopicRow> {
  const closed = await closeTopicRow(tx, key, { by, reason });
  if (!closed) throw topicClosed(key.number);
  // The topic's open proposal is no longer needed, so it is rejected.
  if (reason !== "accepted") await rejectOpenProposal(tx, { meshId: key.meshId, topic: key.number }, by);
  if (closed.sessionId !== null) {
    const { number: topic_id, title } = closed;
    const at = (closed.closedAt ?? new Date()).toISOString();
    const event = { event: "topic_closed", topic_id, by, title, reason, at } as const;
    await announce(closed.sessionId, event, { causedBy });
  }
  return closed;
}

export function topicClosed(topic_id: number): MerkleError {
  return new MerkleError(
    "conflict",
    `Topic ${topic_id} is closed. Reopen it to continue, or open a new topic.`,
    { topic_id, status: "closed", next: "reply_to_topic" },
  );
}

/**
 * Reopens a closed topic and announces it in the session (TOPIC-12). Call this function last in a write, like
 * every announcement. The position of a closed topic is not updated, so reopening searches for it in the newest
 * text.
 *
 * @throws conflict if the topic is already open; if two callers reopen it at the same time, exactly one
 * succeeds
 */
export async function reopenTopic(
  services: TopicServices,
  { tx, announce, afterCommit }: Pick<Write, "tx" | "announce" | "afterCommit">,
  key: TopicKey,
  { by, causedBy }: { by: string; causedBy: string | null },
): Promise<TopicRow> {
  const { meshId, number: topic_id } = key;
  await lockTopicCounter(tx, meshId);
  const reopened = await reopenTopicRow(tx, key);
  if (!reopened) throw alreadyOpen(topic_id);
  const source = toSourceColumns(reopened);
  await refuseTooManyOpen(services, tx, source);
  if (source.path !== null) return reopened;
  const { sessionId } = source;
  const at = new Date().toISOString();
  const event = { event: "topic_reopened", topic_id, by, title: reopened.title, at } as const;
  await announce(sessionId, event, { causedBy });
  afterCommit(() => services.anchorer.schedule({ meshId, sessionId }));
  return reopened;
}

function alreadyOpen(topic_id: number): MerkleError {
  return new MerkleError("conflict", `Topic ${topic_id} is already open.`, {
    topic_id,
    status: "open",
  });
}
