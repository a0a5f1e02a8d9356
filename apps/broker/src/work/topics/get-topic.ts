import { findTopic, listTopicMessages } from "@merkle/db";
import { limits, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Context } from "../../sessions/context.js";
import { requireTopic } from "./require-topic.js";
import type { TopicServices } from "./services.js";
import { toTopic, toTopicMessage } from "./topic-output.js";

/** Reads a topic and a page of what was said in it, from the beginning on (TOPIC-3). */
export async function getTopic(
  { services, principal }: Context<TopicServices>,
  { topic_id, after }: ParsedInputOf<"get_topic">,
): Promise<OutputOf<"get_topic">> {
  const { orm, meshId } = services.database;
  const key = { meshId, number: topic_id };
  const topic = requireTopic(await findTopic(orm, key), topic_id, principal);
  const limit = limits.topicMessagesPageMax;
  const rows = await listTopicMessages(orm, key, { after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  return {
    ...(await toTopic(services, topic)),
    messages: page.map(toTopicMessage),
    next_after: rows.length > limit ? (page.at(-1)?.sequence ?? null) : null,
  };
}
