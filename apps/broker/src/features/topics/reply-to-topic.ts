import { findTopic, insertTopicMessage, lockTopic, type TopicRow } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { sessionClosed } from "../../sessions/access/authorize.js";
import type { MeshContext } from "../../sessions/context.js";
import { announceProposals } from "./announce-proposals.js";
import { closeTopic, reopenTopic, topicClosed } from "./close-topic.js";
import type { TopicServices } from "./services.js";
import { getTopicAuthor, requireTopic, toTopic } from "./topic.js";

/**
 * Adds a message to a topic, closes or reopens the topic, or does both (TOPIC-4).
 *
 * @throws conflict if the call would close a closed topic, reopen an open topic, or reply to a closed
 * topic without reopening it
 */
export async function replyToTopic(
  ctx: MeshContext<TopicServices>,
  { topic_id, text, close, reopen }: ParsedInputOf<"reply_to_topic">,
): Promise<OutputOf<"reply_to_topic">> {
  const { services, principal } = ctx;
  const { orm, meshId } = services.database;
  const key = { meshId, number: topic_id };
  const topic = requireTopic(await findTopic(orm, key), topic_id, principal);
  const by = await getTopicAuthor(ctx, topic.sessionId);
  await refuseClosedSession(services, topic);

  return ctx.write(async (write) => {
    const locked = requireTopic(await lockTopic(write.tx, key), topic_id, principal);
    if (locked.status === "closed" && !reopen) throw topicClosed(topic_id);
    const updated = text === undefined ? locked : await insertTopicMessage(write.tx, key, { ...by, text });
    const change = { by: by.author, causedBy: ctx.team?.peer.peerId ?? null };
    const result = close
      ? await closeTopic(write, key, { ...change, reason: close })
      : reopen
        ? await reopenTopic(services, write, key, change)
        : updated;
    write.afterCommit(() => {
      services.mesh.announce("topics", topic.sessionId);
      if (close || reopen) announceProposals(services, topic.sessionId);
    });
    return toTopic(services, result);
  });
}

/** Refuses a topic in a concluded session, because such a topic can only be read. */
async function refuseClosedSession(
  { sessions }: Pick<TopicServices, "sessions">,
  { sessionId }: TopicRow,
): Promise<void> {
  const session = sessionId === null ? null : await sessions.find(sessionId);
  if (session?.isClosed) throw sessionClosed(session);
}
