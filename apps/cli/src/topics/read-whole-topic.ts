import type { OutputOf } from "@merkle/wire";
import type { BrokerClient } from "../broker-client.js";

/** Reads a topic with all of its messages, page by page. */
export async function readWholeTopic(
  broker: Pick<BrokerClient, "call">,
  topic_id: number,
): Promise<OutputOf<"get_topic">> {
  const topic = await broker.call("get_topic", { topic_id });
  const messages = [...topic.messages];
  for (let after = topic.next_after; after !== null; ) {
    const page = await broker.call("get_topic", { topic_id, after });
    messages.push(...page.messages);
    after = page.next_after;
  }
  return { ...topic, messages, next_after: null };
}
